"""Finding a device: ids, aliases, paths, the search order, and the nearest names of a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline.catalog import find
from roofline.errors import FileError, InputError, UnknownNameError

OWN = "name: Mine\naliases: [{alias}]\n"
OWN += "peaks: [{{dtype: bf16, dense: 1 TFLOP/s}}]\nmemory: [{{level: M, bandwidth: 1 TB/s}}]\n"


def put(folder: Path, stem: str, alias: str = "mine") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}.yaml"
    path.write_text(OWN.format(alias=alias), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["h100-sxm", "h100", "H100", " h100 "])
def test_an_id_or_alias_in_any_case(name: str) -> None:
    assert find.device(name).id == "h100-sxm"


def test_a_path_is_a_path(tmp_path: Path) -> None:
    assert find.device(str(put(tmp_path, "a"))).name == "Mine"


def test_a_path_object_is_a_path_and_nothing_else_is_a_name(tmp_path: Path) -> None:
    assert find.device(put(tmp_path, "a")).name == "Mine"
    with pytest.raises(InputError, match=r"^a device is named by text or a path, such as 'h100', got None$"):
        find.device(None)  # type: ignore[arg-type]


def test_a_user_file_shadows_a_shipped_one_and_says_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path / "own", "h100-sxm")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path / "own"))
    assert (find.device("h100-sxm").name, find.device("h100-sxm").origin) == ("Mine", str(path))


def test_an_alias_of_ones_own_goes_before_a_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "vendor", "zz", alias="h100")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    assert find.device("h100").id == "zz"


def test_the_search_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, config = tmp_path / "1", tmp_path / "2", tmp_path / "c"
    put(first, "x"), put(second, "x"), put(config / "roofline" / "hardware", "x")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    assert find.device("x").origin.startswith(str(config))
    monkeypatch.setenv("ROOFLINE_HARDWARE", f"{first}:{second}")
    assert find.device("x").origin.startswith(str(first))


def test_a_relative_xdg_folder_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "roofline" / "hardware", "x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", ".")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UnknownNameError):
        find.device("x")


def test_a_tilde_is_the_home_folder_wherever_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell expands it at the start of ROOFLINE_HARDWARE=~/a alone, and nowhere in quotes."""
    put(tmp_path / "b", "x")
    (tmp_path / "a").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ROOFLINE_HARDWARE", "~/a:~/b")
    assert find.device("x").origin == str(tmp_path / "b" / "x.yaml")
    monkeypatch.setenv("ROOFLINE_HARDWARE", "~/c")
    with pytest.raises(FileError, match="no such folder"):
        find.device("x")


@pytest.mark.parametrize("name", ["my chip", "My-Chip", " my  chip "])
def test_spaces_of_an_alias_are_hyphens_and_none_at_its_ends(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "x", alias="' My chip '")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    assert find.device(name).id == "x"


def test_an_id_with_a_space_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "gpu 1")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    assert find.device("gpu 1").id == find.device("GPU-1").id == "gpu 1"


def test_of_two_names_in_a_folder_the_first_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", alias="mi"), put(tmp_path, "mine", alias="mi")
    put(tmp_path, "a").rename(tmp_path / "a.yml")
    put(tmp_path, "a", alias="mi")
    monkeypatch.setenv("ROOFLINE_HARDWARE", str(tmp_path))
    assert find.device("a").origin.endswith("/a.yaml")
    assert find.device("mi").id == find.aliases(find.entries())["mi"].id == "a"


def test_a_named_folder_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOFLINE_HARDWARE", "/no/such/folder")
    with pytest.raises(FileError, match="no such folder: '/no/such/folder'"):
        find.device("h100")


def test_a_file_where_a_folder_is_wanted_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROOFLINE_HARDWARE", "x.yaml")
    with pytest.raises(FileError, match=r"^\$ROOFLINE_HARDWARE: 'x.yaml' is a file, a folder is wanted$") as caught:
        find.device("h100")
    assert caught.value.hint == "name the folder that holds it, or give the file itself to --hw"


@pytest.mark.parametrize(
    ("name", "near"), [("h10", "h100"), ("h1000", "h100"), ("rtx490", "rtx4090"), ("m4mx", "m4max")]
)
def test_a_mistake_names_the_nearest(name: str, near: str) -> None:
    """Y09: an unknown device is an error and never another device's figures."""
    with pytest.raises(UnknownNameError, match=f"unknown device '{name}'") as caught:
        find.device(name)
    assert near in (caught.value.hint or "")
