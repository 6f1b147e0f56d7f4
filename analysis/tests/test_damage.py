"""A result file that is not what was written is refused, with the place."""

import pathlib
import shutil

import h5py
import pytest
from synthetic_file import append_sums

import echo_sweep as es
from echo_sweep import checksums


def flipped(path, place, folder):
    data = bytearray(pathlib.Path(path).read_bytes())
    data[place] ^= 1
    (folder / "flipped.h5").write_bytes(data)
    return folder / "flipped.h5"


def test_a_whole_file_is_verified(result, synthetic):
    assert es.open(result).verify() is True  # with checksums of the program
    assert es.open(synthetic()).verify() is True  # with checksums computed in Python


def test_every_flipped_bit_is_refused_with_its_place(result, tmp_path):
    size = pathlib.Path(result).stat().st_size
    for place in [0, 8, 9, 4095, 4096, *range(5000, size, size // 40), size - 60, size - 47, size - 20, size - 1]:
        with pytest.raises(es.DamagedFile, match="is damaged: ") as refused:
            es.open(flipped(result, place, tmp_path))
        if 9 < place < size // 2:
            first = place // 4096 * 4096
            assert f"bytes {first} to {first + 4095} do not agree" in str(refused.value)


def test_a_file_that_was_cut_off_is_refused(result, tmp_path):
    data = pathlib.Path(result).read_bytes()
    for length in (len(data) - 1, len(data) - 47, len(data) // 2, 10):
        (tmp_path / "cut.h5").write_bytes(data[:length])
        with pytest.raises(es.DamagedFile, match="no checksums at its end"):
            es.open(tmp_path / "cut.h5")
    (tmp_path / "cut.h5").write_bytes(data[:4096] + data[8192:])
    with pytest.raises(es.DamagedFile, match=f"was written with {len(data)}"):
        es.open(tmp_path / "cut.h5")


def test_of_a_large_file_values_are_checked_when_they_are_read(result, tmp_path, monkeypatch):
    monkeypatch.setattr("echo_sweep.result_file.SMALL", 0)
    with h5py.File(result) as file:
        place = file["step_time"].id.get_chunk_info(0).byte_offset
    sweep = es.open(flipped(result, place + 3, tmp_path))
    with pytest.raises(OSError, match="Fletcher32"):
        sweep.column("step_time")
    with pytest.raises(es.DamagedFile, match="do not agree"):
        sweep.verify()


def test_every_dataset_of_values_has_hdf5_s_own_checksum(result):
    def look(name, item):
        if isinstance(item, h5py.Dataset) and h5py.check_string_dtype(item.dtype) is None and item.size > 0:
            assert item.fletcher32, name

    with h5py.File(result) as file:
        file.visititems(look)


def test_a_file_before_checksums_opens_and_says_so(result, tmp_path):
    old = tmp_path / "old.h5"
    with h5py.File(result) as file, h5py.File(old, "w") as copy:  # as older programs wrote it, and as h5repack does
        for name in file:
            file.copy(name, copy)
        copy.attrs.update(file.attrs)
    with pytest.raises(es.DamagedFile, match="has lost its checksums"):
        es.open(old)
    with h5py.File(old, "r+") as copy:
        copy.attrs["schema_version"] = "1.9"
    assert es.open(old).verify() is False and len(es.open(old)) == len(es.open(result))


def test_a_file_that_another_program_changed_is_refused(result, tmp_path):
    changed = tmp_path / "changed.h5"
    shutil.copy(result, changed)
    with h5py.File(changed, "r+") as file:
        file.attrs["note"] = "mine"
    with pytest.raises(es.DamagedFile, match="no checksums at its end"):
        es.open(changed)
    append_sums(changed)
    assert checksums.verify(changed) is True and es.open(changed).attributes["note"] == "mine"
