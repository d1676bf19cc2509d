#pragma once

/// \file The elements of a leaf in a block's shared memory.

#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/merge/row_network.cuh"
#include "kernels/primitives/move_values.cuh"
#include "traces/records/key_type.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace keyswap::kernels::leaf_sort_detail {

/// Elements of up to 8 bytes as words, key above value. The layout avoids bank conflicts when
/// threads access the words of their own rows, 16 bytes at a time.
template <class Key, class Value>
class WordTile {
  public:
    static constexpr bool has_rows = true;
    static constexpr bool has_values = true;
    using Word = std::conditional_t<is_value<Value>, std::uint64_t, Key>;
    static constexpr std::size_t element_bytes = sizeof(Word);

    __device__ WordTile(unsigned char* memory, std::size_t /*capacity*/)
        : words_(reinterpret_cast<Word*>(memory)) {}

    __device__ void put(std::uint32_t place, Key key, Value value, std::uint32_t /*source*/) {
        words_[at(place)] = word_of(key, value);
    }
    /// True if the first of two equal keys precedes the other.
    [[nodiscard]] __device__ bool is_before(std::uint32_t place, std::uint32_t other) const {
        return place < other;
    }
    [[nodiscard]] __device__ Key key(std::uint32_t place) const {
        return static_cast<Key>(words_[at(place)] >> key_shift);
    }
    [[nodiscard]] __device__ Value value(std::uint32_t place) const {
        return static_cast<Value>(words_[at(place)]);
    }
    /// Stores a word that no key exceeds.
    __device__ void put_last(std::uint32_t place) {
        words_[at(place)] = static_cast<Word>(~Word{0});
    }

    /// \param begin a multiple of 8
    __device__ void load_row(std::uint32_t begin, Word (&row)[row_words]) const {
#pragma unroll
        for (int i = 0; i < row_words; i += vector_words) {
            auto const vector = *reinterpret_cast<Vector const*>(&words_[in_row(begin, i)]);
            row[i] = vector.x;
            row[i + 1] = vector.y;
            if constexpr (vector_words == 4) {
                row[i + 2] = vector.z;
                row[i + 3] = vector.w;
            }
        }
    }
    __device__ void store_row(std::uint32_t begin, Word const (&row)[row_words]) {
#pragma unroll
        for (int i = 0; i < row_words; i += vector_words) {
            Vector vector;
            vector.x = row[i];
            vector.y = row[i + 1];
            if constexpr (vector_words == 4) {
                vector.z = row[i + 2];
                vector.w = row[i + 3];
            }
            *reinterpret_cast<Vector*>(&words_[in_row(begin, i)]) = vector;
        }
    }
    /// Orders two words by key.
    struct Exchange {
        __device__ void operator()(Word& a, Word& b) const {
            Word const one = a;
            Word const other = b;
            if constexpr (is_value<Value>) {
                bool const changes =
                    static_cast<Key>(other >> key_shift) < static_cast<Key>(one >> key_shift);
                a = changes ? other : one;
                b = changes ? one : other;
            } else { // one instruction each
                a = min(one, other);
                b = max(one, other);
            }
        }
    };

  private:
    static constexpr int key_shift = is_value<Value> ? 32 : 0;
    static constexpr int vector_words = 16 / static_cast<int>(sizeof(Word));
    using Vector = std::conditional_t<sizeof(Word) == 4, uint4, ulonglong2>;

    [[nodiscard]] static __device__ Word word_of(Key key, Value value) {
        if constexpr (is_value<Value>) {
            return static_cast<Word>(key) << key_shift | value;
        } else {
            return key;
        }
    }
    /// Eight adjacent threads read 128 bytes at once, each from its own row.
    [[nodiscard]] static __device__ std::uint32_t at(std::uint32_t place) {
        return sizeof(Word) == 4 ? place ^ (place >> 5 & 3) << 2 : place ^ (place >> 4 & 7) << 1;
    }
    /// Index of position i of a row; its halves begin at multiples of 8, so the upper bits are
    /// those of the half.
    [[nodiscard]] static __device__ std::uint32_t in_row(std::uint32_t begin, std::uint32_t i) {
        constexpr std::uint32_t half = row_words / 2;
        return at((begin + (i & half)) | (i & (half - 1)));
    }

    Word* words_;
};

/// Wider elements, with separate arrays for keys and values.
template <class Key, class Value>
class ArrayTile {
  public:
    static constexpr bool has_rows = false;
    static constexpr bool has_values = true;
    static constexpr std::size_t element_bytes = sizeof(Key) + sizeof(Value);

    __device__ ArrayTile(unsigned char* memory, std::size_t capacity)
        : memory_(memory), capacity_(capacity) {}

    __device__ void put(std::uint32_t place, Key key, Value value, std::uint32_t /*source*/) {
        keys()[place] = key;
        values()[place] = value;
    }
    [[nodiscard]] __device__ bool is_before(std::uint32_t place, std::uint32_t other) const {
        return place < other;
    }
    [[nodiscard]] __device__ Key key(std::uint32_t place) const { return keys()[place]; }
    [[nodiscard]] __device__ Value value(std::uint32_t place) const { return values()[place]; }

  private:
    // The wider array comes first.
    static constexpr bool keys_first = sizeof(Key) >= sizeof(Value);
    [[nodiscard]] __device__ Key* keys() const {
        return reinterpret_cast<Key*>(memory_ + (keys_first ? 0 : capacity_ * sizeof(Value)));
    }
    [[nodiscard]] __device__ Value* values() const {
        return reinterpret_cast<Value*>(memory_ + (keys_first ? capacity_ * sizeof(Key) : 0));
    }

    unsigned char* memory_;
    std::size_t capacity_;
};

/// Elements with their positions in the unsorted leaf.
template <class Key, class Value>
class SourceTile {
  public:
    static constexpr bool has_rows = false;
    static constexpr bool has_values = true;
    static constexpr std::size_t element_bytes =
        ArrayTile<Key, Value>::element_bytes + sizeof(std::uint16_t);

    __device__ SourceTile(unsigned char* memory, std::size_t capacity)
        : elements_(memory, capacity),
          sources_(reinterpret_cast<std::uint16_t*>(
              memory + capacity * ArrayTile<Key, Value>::element_bytes)) {}

    __device__ void put(std::uint32_t place, Key key, Value value, std::uint32_t source) {
        elements_.put(place, key, value, source);
        sources_[place] = static_cast<std::uint16_t>(source);
    }
    [[nodiscard]] __device__ bool is_before(std::uint32_t place, std::uint32_t other) const {
        return kernel_has_fault(DeviceFault::leaf_ties_by_place)
                   ? place < other
                   : sources_[place] < sources_[other];
    }
    [[nodiscard]] __device__ Key key(std::uint32_t place) const { return elements_.key(place); }
    [[nodiscard]] __device__ Value value(std::uint32_t place) const {
        return elements_.value(place);
    }

  private:
    ArrayTile<Key, Value> elements_;
    std::uint16_t* sources_;
};

/// 4-byte keys above their positions in the unsorted leaf, so that all words differ. Values are not
/// included.
class PlaceTile {
  public:
    static constexpr bool has_rows = true;
    static constexpr bool has_values = false;
    using Words = WordTile<std::uint32_t, std::uint32_t>;
    using Word = Words::Word;
    static constexpr std::size_t element_bytes = Words::element_bytes;

    __device__ PlaceTile(unsigned char* memory, std::size_t capacity) : words_(memory, capacity) {}

    __device__ void put(std::uint32_t place, std::uint32_t key, std::uint32_t source) {
        words_.put(place, key, source, source);
    }
    [[nodiscard]] __device__ std::uint32_t key(std::uint32_t place) const {
        return words_.key(place);
    }
    [[nodiscard]] __device__ std::uint32_t source(std::uint32_t place) const {
        return words_.value(place);
    }
    [[nodiscard]] __device__ bool is_before(std::uint32_t place, std::uint32_t other) const {
        return kernel_has_fault(DeviceFault::leaf_ties_by_place) ? place < other
                                                                 : source(place) < source(other);
    }
    __device__ void put_last(std::uint32_t place) { words_.put_last(place); }
    __device__ void load_row(std::uint32_t begin, Word (&row)[row_words]) const {
        words_.load_row(begin, row);
    }
    __device__ void store_row(std::uint32_t begin, Word const (&row)[row_words]) {
        words_.store_row(begin, row);
    }
    /// Orders two words.
    struct Exchange {
        __device__ void operator()(Word& a, Word& b) const {
            Word const one = a;
            Word const other = b;
            bool const changes = other < one;
            a = changes ? other : one;
            b = changes ? one : other;
        }
    };

  private:
    Words words_;
};

/// Elements for a stable sort.
template <class Key, class Value>
using StableTile = std::conditional_t<sizeof(Key) == 4, PlaceTile, SourceTile<Key, Value>>;

/// \tparam ties stable: equal keys keep their order
template <class Key, class Value, Stability ties>
using LeafTile = std::conditional_t<
    ties == Stability::stable,
    StableTile<Key, Value>,
    std::conditional_t<(is_value<Value> ? sizeof(Key) + sizeof(Value) : sizeof(Key)) <= 8,
                       WordTile<Key, Value>,
                       ArrayTile<Key, Value>>>;

} // namespace keyswap::kernels::leaf_sort_detail
