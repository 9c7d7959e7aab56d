"""``python -m roofline`` is the command line."""

from roofline.cli import main

if __name__ == "__main__":
    main()
