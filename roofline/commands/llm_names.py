"""Errors about a field of a model as errors about the option that it was given by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from roofline.errors import FileError, RooflineError

# Behind a number, an article or "such", and before "size", the word is plain English and no field.
_FIELD = r"(?<![\w-])(?<!\d )(?<!the )(?<!such )({})(?![\w-]| size)"
_SUBJECT = r"^({})(?=[ :])"


@contextmanager
def naming(options: Mapping[str, str], *, anywhere: bool = False) -> Iterator[None]:
    """Raise errors again with the options in place of the fields that they are about.

    ``options`` are names of options by those of fields. An error begins with the field that it is about; ``anywhere``
    is for those that list several.

    Raises:
        RooflineError: the same error, in other words.

    """

    def told(text: str) -> str:
        pattern = (_FIELD if anywhere else _SUBJECT).format("|".join(options))
        return re.sub(pattern, lambda match: f"--{options[match[1]].replace('_', '-')}", text)

    try:
        yield
    except FileError:
        raise  # which speaks of keys of the file
    except RooflineError as error:
        hint = told(error.hint) if anywhere and error.hint else error.hint
        raise type(error)(told(str(error)), hint=hint) from None
