"""The keyed layout: entries sorted by key."""

from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from itertools import accumulate

from damage import Damaged, demand, inflate

# The highest score of a game that counts plies.
WON = 1000


class Keyed:
    """The layout's metadata, and its decoded blocks."""

    def __init__(self, file, reader):
        self.file = file
        self.key_bytes = reader.u8()
        self.block_entries = reader.number()
        self.range = reader.range()
        self.code_bytes = max(1, -(-(self.codes() - 1).bit_length() // 8))
        self.layers = {layer: counts for layer, counts in reader.list(lambda: self._layer(reader))}
        demand(1 <= self.key_bytes <= 16, "keys have 1 to 16 bytes")
        demand(1 <= self.block_entries <= 65536, "a block has 1 to 65,536 entries")
        self.block = lru_cache(maxsize=None)(self._block)

    def _layer(self, reader):
        """Returns a layer, and how many of its entries have each code that occurs."""
        layer, counts = reader.number(), reader.list(reader.number)
        if self.code_bytes == 1:
            demand(len(counts) == self.codes(), "a layer has another number of counts")
            return layer, Counter({code: count for code, count in enumerate(counts) if count})
        codes = counts[::2]
        demand(len(counts) % 2 == 0, "a code in a layer has no count")
        demand(all(a < b for a, b in zip(codes, codes[1:])), "the codes of a layer are not in order")
        demand(all(counts[1::2]), "a code in a layer has no entries")
        return layer, Counter(dict(zip(codes, counts[1::2])))

    def count(self):
        return sum(sum(counts.values()) for counts in self.layers.values())

    def block_count(self):
        return -(-self.count() // self.block_entries)

    def codes(self):
        """Returns the number of different scores."""
        if self.range.step == -WON:
            return self.range.highest - self.range.lowest + 1
        if self.range.step < 0:
            return 255
        return (self.range.highest - self.range.lowest) // self.range.step + 1

    def score(self, code):
        if self.range.step == -WON:
            return self.range.lowest + code
        if self.range.step < 0:
            plies = -self.range.step
            if code < 127:
                return plies * (code + 1) - WON
            return WON - plies * (255 - code) + plies - 1 if code > 127 else 0
        return self.range.lowest + self.range.step * code

    def _block(self, block):
        """Returns the keys of a block, and their codes."""
        data, first_key = self.file.block(block)
        entries = min(self.block_entries, self.count() - block * self.block_entries)
        demand(len(data) >= 5, "a block is too short")
        form, keys_length = data[0], int.from_bytes(data[1:5], "little")
        demand(form & ~6 == 0, f"a block has an unknown form: {form}")
        keys, codes = data[5 : 5 + keys_length], data[5 + keys_length :]
        demand(len(keys) == keys_length, "a block is too short")
        planes = (entries - 1) * self.key_bytes
        if form & 2:
            keys = inflate(keys, planes)
        if form & 4:
            codes = inflate(codes, entries * self.code_bytes)
        demand(len(keys) == planes, "a block has another length")
        demand(len(codes) == entries * self.code_bytes, "a block has another length")
        codes = [
            sum(codes[plane * entries + i] << 8 * plane for plane in range(self.code_bytes))
            for i in range(entries)
        ]
        demand(max(codes) < self.codes(), "a code stands for no score")
        differences = [
            sum(keys[plane * (entries - 1) + i] << 8 * plane for plane in range(self.key_bytes))
            for i in range(entries - 1)
        ]
        demand(all(differences), "a key comes twice")
        keys = list(accumulate(differences, initial=first_key))
        demand(keys[-1] < 1 << 8 * self.key_bytes, "a key is too large")
        return keys, codes

    def entries(self):
        """Iterates over the keys with their codes, in order."""
        last = -1
        for block in range(self.block_count()):
            for key, code in zip(*self.block(block)):
                demand(key > last, "the keys are not in order")
                last = key
                yield key, code

    def code(self, key):
        """Returns the code of a key, or None."""
        if self.count() == 0:
            return None
        low, high = 0, self.block_count()
        while high - low > 1:
            middle = (low + high) // 2
            if self.file.first_key(middle) <= key:
                low = middle
            else:
                high = middle
        keys, codes = self.block(low)
        at = bisect_right(keys, key) - 1
        return codes[at] if at >= 0 and keys[at] == key else None

    def check_totals(self, codes):
        """Compares the decoded codes of all layers with the metadata."""
        totals = Counter()
        for counts in self.layers.values():
            totals.update(counts)
        demand(Counter(codes) == totals, "the counts are others than the metadata say")

    def check_counts(self, codes_by_layer):
        """Compares the decoded codes, by layer, with the metadata."""
        if codes_by_layer.keys() != self.layers.keys():
            raise Damaged("the layers are others than the metadata say")
        for layer, codes in codes_by_layer.items():
            problem = f"the counts of layer {layer} are others than the metadata say"
            demand(Counter(codes) == self.layers[layer], problem)
