"""``python -m roofline`` and the console script: the command line, with a quiet Ctrl-C from the first moment on."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; an interrupt while it is being imported, which takes longest, ends it as any other."""
    try:
        from roofline import cli  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
