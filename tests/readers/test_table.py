"""Kernel lists: every format gives the same kernels, a bad row is named and the others are kept."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.errors import FileError
from roofline.files import Problem
from roofline.readers.rows import Row
from roofline.readers.table import KernelList

SAME = {
    "a.csv": "name,flops,bytes,time_ms\ngemm,137.4e9,100.7 MB,0.25\ncopy,0,268435456,0.1\n",
    "a.tsv": "name\tflops\tbytes\ttime_ms\ngemm\t137.4e9\t100.7 MB\t0.25\ncopy\t0\t268435456\t0.1\n",
    "a.json": json.dumps(
        [
            {"name": "gemm", "flops": 137.4e9, "bytes": "100.7 MB", "time_ms": 0.25},
            {"name": "copy", "flops": 0, "bytes": 268435456, "time": "100 us"},
        ]
    ),
    "b.json": json.dumps(
        {
            "kernels": [
                {"name": "gemm", "gflop": 137.4, "bytes_mb": 100.7, "time_us": 250},
                {"name": "copy", "flops": 0, "bytes_read": 134217728, "bytes_write": 134217728, "time_ms": 0.1},
            ]
        }
    ),
    "a.jsonl": '{"name": "gemm", "macs": 68.7e9, "bytes": 100.7e6, "time_ms": 0.25}\n'
    '{"name": "copy", "flops": 0, "bytes": 268435456, "time_ms": 0.1}\n',
    "a.yaml": "- {name: gemm, flops: 137.4 GFLOP, bytes: 100.7 MB, time: 0.25 ms}\n"
    "- {name: copy, flops: 0, bytes: 256 MiB, time: 0.1 ms}\n",
    "b.yaml": "kernels:\n  - name: gemm\n    flops: 137.4e9\n    bytes: 100.7e6\n    time_ms: 0.25\n"
    "  - {name: copy, flops: 0, bytes: 268435456, time_ms: 0.1}\n",
}


def read(tmp_path: Path, text: str | bytes, name: str = "k.csv", time_unit: str | None = None) -> list[Row | Problem]:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(KernelList(str(path), time_unit))


def rows(tmp_path: Path, text: str | bytes, name: str = "k.csv", time_unit: str | None = None) -> list[Row]:
    found = read(tmp_path, text, name, time_unit)
    assert [item for item in found if isinstance(item, Problem)] == []
    return [item for item in found if isinstance(item, Row)]


def problems(tmp_path: Path, text: str, name: str = "k.csv") -> list[str]:
    found = read(tmp_path, text, name)
    return [str(item).removeprefix(f"{tmp_path}/") for item in found if isinstance(item, Problem)]


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("hidden", [False, True], ids=["by-name", "by-content"])
def test_every_format_gives_the_same_kernels(tmp_path: Path, name: str, hidden: bool) -> None:
    if hidden and name == "b.yaml":
        pytest.skip("a YAML mapping over several lines looks like nothing else only by its name")
    gemm, copy = rows(tmp_path, SAME[name], "unknown" if hidden else name)
    assert (gemm.kernel.name, copy.kernel.name) == ("gemm", "copy")
    assert (gemm.kernel.flops, gemm.kernel.bytes, gemm.kernel.seconds) == pytest.approx((137.4e9, 100.7e6, 0.25e-3))
    assert (copy.kernel.flops, copy.kernel.bytes, copy.kernel.seconds) == pytest.approx((0, 268435456, 1e-4))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("name,flops,bytes,time_s\nonly,5e8,1e8,1e-4\n", id="P07-one-row"),
        pytest.param("name,flops,bytes,time_s\r\nonly,5e8,1e8,1e-4\r\n", id="CRLF"),
        pytest.param("name,flops,bytes,time_s\ronly,5e8,1e8,1e-4\r", id="CR"),
        pytest.param("name,flops,bytes,time_s\nonly,5e8,1e8,1e-4", id="no-final-newline"),
        pytest.param("\ufeffname,flops,bytes,time_s\r\nonly,5e8,1e8,1e-4\r\n", id="P15-byte-order-mark"),
        pytest.param("\n\nname,flops,bytes,time_s\n\nonly,5e8,1e8,1e-4\n\n", id="blank-lines"),
        pytest.param(" name , flops ,bytes,time_s\nonly, 5e8 ,1e8,1e-4\n", id="spaces"),
        pytest.param("name,flops,bytes,time_s,l2_hits\nonly,5e8,1e8,1e-4,\n", id="P05-empty-column"),
    ],
)
def test_one_kernel_in_any_dress(tmp_path: Path, text: str) -> None:
    (row,) = rows(tmp_path, text)
    assert (row.kernel.name, row.kernel.arithmetic_intensity, row.kernel.achieved) == ("only", 5.0, 5e12)


@pytest.mark.parametrize(
    "name", ["k<float, 4>&co", '=HYPERLINK("x")', "模型·核", "two\nlines", "a" * 5000, "[bold]", "'"]
)
def test_names_are_verbatim(tmp_path: Path, name: str) -> None:
    (row,) = rows(tmp_path, f'name,flops,bytes\n"{name.replace(chr(34), chr(34) * 2)}",1,1\n')
    assert row.kernel.name == name
    (row,) = rows(tmp_path, json.dumps([{"name": name, "flops": 1, "bytes": 1}]), "k.json")
    assert row.kernel.name == name


def test_unknown_is_not_zero(tmp_path: Path) -> None:
    """P11."""
    sdpa, add = rows(tmp_path, "name,flops,bytes,time_s\nsdpa,,786432,1e-4\nadd,0,1e6,1e-5\n")
    assert (sdpa.kernel.flops, sdpa.kernel.arithmetic_intensity) == (None, None)
    assert (add.kernel.flops, add.kernel.arithmetic_intensity) == (0, 0.0)


def test_read_and_write_levels_precision_and_expectations(tmp_path: Path) -> None:
    (row,) = rows(
        tmp_path,
        "name,macs,bytes_read,bytes_write,bytes_l2,dtype,expect,min_efficiency,max_time\n"
        "k,1e9,1 GB,1 GB,16 MB,bfloat16,memory-bound,60%,2 ms\n",
    )
    assert (row.kernel.flops, row.kernel.bytes, row.kernel.from_macs) == (2e9, 2e9, True)
    assert (row.kernel.bytes_at, row.kernel.dtype) == ({"l2": 16e6}, "bf16")
    assert row.expectation.bound == "memory"
    assert (row.expectation.min_efficiency, row.expectation.max_time) == (0.6, 2e-3)


def test_yaml_levels(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "- {name: k, flops: 1, bytes: {HBM3: 1 GB, L2: 4 GB}}\n", "k.yaml")
    assert row.kernel.bytes_at == {"HBM3": 1e9, "L2": 4e9}


def test_a_bare_time_needs_a_unit(tmp_path: Path) -> None:
    """U07."""
    text = "name,flops,bytes,time\nk,1,1,0.1\n"
    (problem,) = read(tmp_path, text)
    assert isinstance(problem, Problem)
    assert problem.message == "'time' is a bare 0.1: in which unit?"
    assert rows(tmp_path, text, time_unit="ms")[0].kernel.seconds == pytest.approx(1e-4)
    assert rows(tmp_path, text.replace("0.1", "0.1 us"))[0].kernel.seconds == pytest.approx(1e-7)


def test_a_bad_row_is_named_and_the_good_ones_are_kept(tmp_path: Path) -> None:
    text = "name,flops,bytes\na,1,1\nb,x,1\nc,1\n,1,1\ne,,\nf,-1,1\ng,1GB,1\nh,0,0\ni,2,1\n"
    found = read(tmp_path, text)
    assert [item.kernel.name for item in found if isinstance(item, Row)] == ["a", "i"]
    assert problems(tmp_path, text) == [
        "k.csv:3:flops: 'flops': expected an amount of work (FLOP), got 'x'   [value]",
        "k.csv:4: 2 fields, the header has 3   [ragged-row]",
        "k.csv:5:name: the name is empty   [value]",
        "k.csv:6: neither FLOPs nor bytes are given   [value]",
        "k.csv:7:flops: 'flops' must be >= 0, got -1   [value]",
        "k.csv:8:flops: 'flops' is an amount of work (FLOP), got an amount of data (GB)   [value]",
        "k.csv:9: no work and no traffic: FLOPs and bytes are both 0   [value]",
    ]


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("name,flops,macs,bytes", "k,1,1,1", "'flops' and 'macs' say the same; give one"),
        ("name,flops,bytes,bytes_read", "k,1,1,1", "'bytes' and 'bytes_read' say the same; give one"),
        ("name,flops,bytes,intensity", "k,1,1,1", "'intensity' follows from the work and the bytes; give two"),
        ("name,flops,intensity", "k,1,0", "'intensity' is 0, but 'flops' is not"),
        ("name,gmac,intensity", "k,1,0", "'intensity' is 0, but 'gmac' is not"),
        ("name,flops,bytes,bytes_L2,bytes_at_l2_mb", "k,1,1,1,1", "columns 'bytes_L2' and 'bytes_at_l2_mb' both say"),
    ],
)
def test_a_row_that_contradicts_itself_is_named(tmp_path: Path, header: str, row: str, message: str) -> None:
    """The same rules as on the command line, in the words of the list."""
    try:
        (found,) = problems(tmp_path, f"{header}\n{row}\n")
    except FileError as error:
        found = str(error)
    assert message in found


def test_the_line_of_a_row_is_where_it_starts(tmp_path: Path) -> None:
    assert problems(tmp_path, 'name,flops,bytes\n"two\nlines",1,1\nb,x,1\n') == [
        "k.csv:4:flops: 'flops': expected an amount of work (FLOP), got 'x'   [value]"
    ]


def test_a_bad_json_line_does_not_stop_the_next(tmp_path: Path) -> None:
    text = (
        '{"name": "a", "flops": 1, "bytes": 1}\n{oops\n[1]\n{"name": "b", "flops": true, "bytes": 1}\n'
        '{"name":"c","flops":NaN,"bytes":1}\n{"name": "d", "flops": 1, "bytes": 1}\n'
    )
    found = read(tmp_path, text, "k.jsonl")
    assert [item.kernel.name for item in found if isinstance(item, Row)] == ["a", "d"]
    assert [line.partition(": ")[0] for line in problems(tmp_path, text, "k.jsonl")] == [
        "k.jsonl:2",
        "k.jsonl:3",
        "k.jsonl:4:flops",
        "k.jsonl:5",
    ]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        pytest.param("", "k.csv", "k.csv: is empty: no header row", id="P09-zero-bytes"),
        pytest.param("\n \n", "k.csv", "k.csv: is empty: no header row", id="blank"),
        pytest.param("name,time_ms\na,1\n", "k.csv", "k.csv:1: no column 'flops' (or 'macs')", id="no-work"),
        pytest.param("name;flops;bytes\na;1;1\n", "k.csv", "k.csv:1: no column 'flops'", id="semicolons"),
        pytest.param("name,flops\na,1\n", "k.csv", "k.csv:1: no column 'bytes'", id="no-traffic"),
        pytest.param("name,flops,bytes,flops\na,1,1,1\n", "k.csv", "column 'flops' is repeated", id="repeated"),
        pytest.param(
            "name,time_ms,time_us,flops,bytes\n", "k.csv", "columns 'time_ms' and 'time_us' both say time", id="twins"
        ),
        pytest.param("name,gflops,bytes\na,1,1\n", "k.csv", "may be work or a rate", id="gflops"),
        pytest.param('name,flops,bytes\n"a,1,1\n', "k.csv", "is not valid CSV", id="open-quote"),
        pytest.param("", "k.json", "k.json: is empty", id="empty-json"),
        pytest.param("{", "k.json", "is not valid JSON", id="broken-json"),
        pytest.param("3", "k.json", "expected a list of kernels", id="json-number"),
        pytest.param('[{"name":"a","name":"b"}]', "k.json", "key 'name' is repeated", id="json-repeated-key"),
        pytest.param("[" * 100_000, "k.json", "nested too deep", id="deep-json"),
        pytest.param("a: b\n", "k.yaml", "expected a list of kernels, got a mapping", id="yaml-mapping"),
        pytest.param("", "k.yaml", "is empty", id="empty-yaml"),
    ],
)
def test_a_list_that_is_unfit_as_a_whole(tmp_path: Path, text: str, name: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read(tmp_path, text, name)
    assert message in str(caught.value)
    assert caught.value.exit_status == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name,flops,bytes\n".encode("utf-16"), "is UTF-16 or UTF-32 text"),
        (b"name,flops,bytes\na\0,1,1\n", "is a binary file"),
        (b"name,flops,bytes\n\xe9,1,1\n", "is not UTF-8 text (byte 0xe9)"),
        (b"name,flops,bytes\n" + b"a,1,1\n" * 2000 + b"\0,1,1\n", "is a binary file"),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read(tmp_path, content)
    assert message in str(caught.value)


def test_a_header_alone_is_an_empty_list(tmp_path: Path) -> None:
    """P09."""
    assert read(tmp_path, "name,flops,bytes\n") == []
    assert read(tmp_path, "[]", "k.json") == []


def test_it_streams(tmp_path: Path) -> None:
    """The first kernel comes out while the writer of the pipe still holds the rest back."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    go_on = threading.Event()

    def slow_writer() -> None:
        with pipe.open("w", encoding="utf-8") as stream:
            stream.write("name,flops,bytes\n" + "a,1,1\n" * 5000)
            stream.flush()
            go_on.wait(10)
            stream.write("last,1,1\n")

    writer = threading.Thread(target=slow_writer)
    writer.start()
    kernels = iter(KernelList(str(pipe)))
    first = next(kernels)
    assert isinstance(first, Row)
    go_on.set()
    names = [row.kernel.name for row in kernels if isinstance(row, Row)]
    writer.join()
    assert (len(names), names[-1]) == (5000, "last")


@given(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=200),
    st.sampled_from(["csv", "tsv", "json", "jsonl", "yaml", "x"]),
)
def test_no_text_breaks_it(tmp_path_factory: pytest.TempPathFactory, text: str, suffix: str) -> None:
    path = tmp_path_factory.mktemp("t") / f"k.{suffix}"
    path.write_text(text, encoding="utf-8")
    try:
        for item in KernelList(str(path)):
            assert isinstance(item, (Row, Problem))
    except FileError as error:
        assert "\n" not in str(error)


_CELL = st.sampled_from(
    ["1", "x", "", "1 GB", "nan", "1e999", '"', "\u2028", "fp16", "60%", "memory-bound", "-1", "0", "1 TFLOP/s"]
)
_HEAD = st.sampled_from(
    ["name", "flops", "bytes", "bytes_l2", "time", "time_ms", "dtype", "expect", "macs", "min_efficiency", "x"]
)


@given(st.lists(_HEAD, max_size=6), st.lists(st.lists(_CELL, max_size=6), max_size=5))
def test_no_table_breaks_it(tmp_path_factory: pytest.TempPathFactory, header: list[str], body: list[list[str]]) -> None:
    path = tmp_path_factory.mktemp("t") / "k.csv"
    path.write_text("\n".join(",".join(row) for row in [header, *body]), encoding="utf-8")
    try:
        list(KernelList(str(path)))
    except FileError as error:
        assert "\n" not in str(error)
