"""Exports of tables as arrays."""

import hashlib

import numpy as np
import pytest

import zermelo


def test_shards_are_the_table(small: zermelo.Oracle, tmp_path) -> None:
    shards = small.export(tmp_path / "npy", move_scores=True)
    assert shards.manifest["rules"] == small.rules
    whole = small.to_numpy()
    assert len(shards) == len(small.layers)
    for labels in shards:
        of_layer = whole.layers == labels.layers[0]
        assert (labels.positions == whole.positions[of_layer]).all()
        for name in ("scores", "best", "move_scores"):
            mapped = getattr(labels, name)
            assert isinstance(mapped, np.memmap)
            assert (mapped == getattr(whole, name)[of_layer]).all()
    for shard in shards.manifest["shards"]:
        for file in shard["files"]:
            data = (tmp_path / "npy" / file["name"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == file["sha256"]


def test_another_export_is_kept(small: zermelo.Oracle, tmp_path) -> None:
    small.export(tmp_path, format="csv")
    with pytest.raises(FileExistsError, match="another export"):
        small.export(tmp_path)
    small.export(tmp_path, force=True, sample=10)
    assert len(zermelo.Export(tmp_path)[0]) == 10
    with pytest.raises(ValueError, match="no format xml"):
        small.export(tmp_path, format="xml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no layer 99"):
        small.export(tmp_path / "other", layers=[99])
