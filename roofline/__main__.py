"""``python -m roofline`` and the console script: the command line, with a quiet Ctrl-C from the first moment on."""

import gc
import sys

TYPE_CHECKING = False  # nothing that takes time may be imported before the guard in main
if TYPE_CHECKING:
    from typing import NoReturn

_OBJECTS = 100_000  # that may be made between two searches for garbage; imports make many and leave none


def main() -> "NoReturn":
    """Run the command line; an interrupt while it is being imported, which takes longest, ends it as any other."""
    gc.set_threshold(_OBJECTS)
    try:
        from roofline import cli  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
