"""``python -m roofline`` and the console script: the command line, with a quiet Ctrl-C from the first moment on."""

import gc
import signal
from typing import NoReturn

_OBJECTS = 100_000  # that may be made between two searches for garbage; imports make many and leave none


def main() -> NoReturn:
    """Run the command line.

    Importing it takes longest; an interrupt meanwhile ends the process by the signal, which shells see as status 130.
    """
    gc.set_threshold(_OBJECTS)
    interrupts = signal.getsignal(signal.SIGINT)
    if interrupts is signal.default_int_handler:  # nobody else handles or ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from roofline import cli  # noqa: PLC0415

    if interrupts is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupts)
    cli.main()


if __name__ == "__main__":
    main()
