"""The file: header, metadata, index, and blocks, with checked checksums."""

import hashlib
import struct
import zlib
from collections import namedtuple

from keyed import WON

from damage import Damaged, demand

MAGIC = bytes([0x8F]) + b"ZRMLO" + bytes([0x1A, 0x0A])
VERSION = 4
HEADER_BYTES = 128
MOST_METADATA = 64 << 20

Header = namedtuple(
    "Header",
    "magic version header_bytes file_bytes blocks blocks_bytes index index_bytes"
    " metadata metadata_bytes block_count entries metadata_crc digest crc",
)
HEADER = struct.Struct("<8sII9QI32sI")
Metadata = namedtuple("Metadata", "rules name family layer_name layout")
Range = namedtuple("Range", "lowest step highest")


class Reader:
    """A reader of the metadata, field by field."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, length):
        taken = self.data[self.at : self.at + length]
        demand(len(taken) == length, "the metadata end too early")
        self.at += length
        return taken

    def u8(self):
        return self.bytes(1)[0]

    def number(self):
        first = self.u8()
        if first < 251:
            return first
        demand(first <= 253, "a number in the metadata is too large")
        width = {251: 2, 252: 4, 253: 8}[first]
        return int.from_bytes(self.bytes(width), "little")

    def signed(self):
        number = self.number()
        return -(number + 1) // 2 if number % 2 else number // 2

    def string(self):
        try:
            return self.bytes(self.number()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Damaged("a text in the metadata is not UTF-8") from error

    def list(self, read):
        return [read() for _ in range(self.number())]

    def range(self):
        found = Range(self.signed(), self.signed(), self.signed())
        if found in (Range(-WON, -1, WON), Range(-WON, -2, WON)):
            return found
        if found.step == -WON:
            demand(found.highest % WON == 0 < found.highest, "the distances are no range")
            demand(found.lowest == -found.highest, "the distances are no range")
            return found
        demand(found.step > 0 and found.lowest <= found.highest, "the scores are no range")
        demand((found.highest - found.lowest) % found.step == 0, "the scores are no range")
        return found


class File:
    """An open table; everything read from it has been checked."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.header = header = self._header()
        self.metadata = self._metadata()
        self.layout = self.metadata.layout
        demand(self.layout.count() == header.entries, "the counts don't add up to the entries")
        demand(self.layout.block_count() == header.block_count, "the number of blocks is wrong")
        self.index_entry = 12 + self.layout.key_bytes
        expected = header.block_count * self.index_entry + 8
        demand(header.index_bytes == expected, "the index has another length")
        digest = hashlib.sha256(self.data[HEADER_BYTES:]).digest()
        demand(digest == header.digest, "the SHA-256 digest is another")

    def _header(self):
        data = self.data
        demand(len(data) >= HEADER_BYTES, "the file is shorter than a header")
        header = Header(*HEADER.unpack_from(data))
        demand(header.magic == MAGIC, "this is no table")
        demand(header.version == VERSION, f"format version {header.version} is not {VERSION}")
        demand(zlib.crc32(data[:124]) == header.crc, "the header is damaged")
        demand(header.header_bytes == HEADER_BYTES, "the header has another length")
        demand(header.file_bytes == len(data), "the file has another length")
        ends = header.blocks + header.blocks_bytes, header.index + header.index_bytes
        demand(header.blocks == HEADER_BYTES, "the blocks begin elsewhere")
        demand(ends == (header.index, header.metadata), "there are gaps between the sections")
        end = header.metadata + header.metadata_bytes
        demand(end == len(data), "the metadata don't end with the file")
        return header

    def _metadata(self):
        header = self.header
        demand(header.metadata_bytes <= MOST_METADATA, "the metadata are too long")
        data = self.data[header.metadata :]
        demand(zlib.crc32(data) == header.metadata_crc, "the metadata are damaged")
        reader = Reader(data)
        texts = [reader.string() for _ in range(4)]
        kind = tuple(reader.bytes(3))
        if kind == (2, 0, 3):
            from ranked import Ranked as layout
        elif kind == (1, 0, 1):
            from keyed import Keyed as layout
        else:
            raise Damaged(f"there is no layout {kind}")
        metadata = Metadata(*texts, layout(self, reader))
        demand(reader.at == len(data), "there is more after the metadata")
        return metadata

    def _entry(self, block):
        """Returns start, CRC and first key of a block; after the last block, only the start."""
        at = self.header.index + block * self.index_entry
        start = int.from_bytes(self.data[at : at + 8], "little")
        if block == self.header.block_count:
            return start, None, b""
        crc = int.from_bytes(self.data[at + 8 : at + 12], "little")
        return start, crc, self.data[at + 12 : at + self.index_entry]

    def block(self, block):
        """Returns the bytes of a block, and its first key."""
        start, crc, key = self._entry(block)
        end, _, next_key = self._entry(block + 1)
        demand(
            self.header.blocks <= start <= end <= self.header.index, f"block {block} is elsewhere"
        )
        data = self.data[start:end]
        covered = block.to_bytes(8, "little") + key + next_key + data
        demand(zlib.crc32(covered) == crc, f"block {block} is damaged")
        return data, int.from_bytes(key, "little")

    def first_key(self, block):
        """Returns the first key of a block, for searching; `block` checks it."""
        return int.from_bytes(self._entry(block)[2], "little")
