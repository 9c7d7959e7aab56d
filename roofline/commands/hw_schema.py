"""``roofline hw schema``: the JSON Schema of hardware files, for editors."""

from __future__ import annotations

from roofline.commands.base import command as declare


@declare("schema")
def command() -> None:
    """Print the JSON Schema of a hardware file.

    \b
    Examples:
      roofline hw schema > roofline.schema.json
      roofline hw schema | jq .required

    An editor with YAML support then completes and checks keys; hw lint checks more (sources, second witnesses).
    """
    import json

    from roofline.catalog.fields import json_schema
    from roofline.commands.streams import write

    write(json.dumps(json_schema(), indent=2) + "\n")
