#pragma once

/// \file Histogram and scatter of a region by one digit, the primitive of both the partitioning
/// passes and the bucket sort. The scatter is stable, so that one implementation serves stable
/// and unstable sorts. Source: RMG paper, sections 4.1 and 4.2 (whose thread blocks use atomics
/// and are therefore unstable; here blocks of the region are processed in order).

#include "model/keys/key_arrays.hpp"
#include "model/keys/parallel.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::model {

/// Bits [shift, shift + bits) of an image. \pre 1 <= bits <= 16
struct BitField {
    int shift = 0;
    int bits = 8;

    [[nodiscard]] std::uint32_t count() const { return std::uint32_t{1} << bits; }

    template <class Image>
    [[nodiscard]] std::uint32_t of(Image image) const {
        return static_cast<std::uint32_t>(image >> shift) & (count() - 1);
    }
};

/// Histograms of consecutive blocks of a region. A scatter needs them separately; their sum is
/// the region's histogram.
class BlockHistograms {
  public:
    BlockHistograms(std::size_t size, BitField field)
        : size_(size), field_(field),
          block_size_(std::max<std::size_t>(block_size_min, std::size_t{16} * field.count())),
          counts_(block_count() * field.count(), 0) {}

    /// 2^18 keys: 1 to 2 MiB, so that the second read of a block hits the cache.
    static constexpr std::size_t block_size_min = std::size_t{1} << 18;

    [[nodiscard]] BitField field() const { return field_; }
    [[nodiscard]] std::size_t block_count() const {
        return std::max<std::size_t>(1, (size_ + block_size_ - 1) / block_size_);
    }
    [[nodiscard]] std::size_t block_begin(std::size_t block) const {
        return std::min(size_, block * block_size_);
    }
    [[nodiscard]] std::span<std::uint64_t> of(std::size_t block) {
        return std::span(counts_).subspan(block * field_.count(), field_.count());
    }

    /// Sum of the histograms of all blocks, [count()].
    [[nodiscard]] std::vector<std::uint64_t> total() {
        std::vector<std::uint64_t> sum(field_.count(), 0);
        for (std::size_t block = 0; block < block_count(); ++block) {
            std::ranges::transform(sum, of(block), sum.begin(), std::plus<>{});
        }
        return sum;
    }

    /// Replaces the counts by each block's first write position per digit: the exclusive prefix sum
    /// over digits, then blocks.
    void to_write_positions() {
        std::uint64_t position = 0;
        for (std::uint32_t digit = 0; digit < field_.count(); ++digit) {
            for (std::size_t block = 0; block < block_count(); ++block) {
                std::uint64_t& entry = of(block)[digit];
                position += std::exchange(entry, position);
            }
        }
    }

    void for_each_block(std::function<void(std::size_t)> const& work) const {
        if (block_count() == 1) {
            work(std::size_t{0});
            return;
        }
        parallel_for(block_count(), work);
    }

  private:
    std::size_t size_;
    BitField field_;
    std::size_t block_size_;
    std::vector<std::uint64_t> counts_;
};

/// Computes the digit histograms of all blocks in parallel.
template <class Image>
[[nodiscard]] BlockHistograms count_digits(std::span<Image const> keys, BitField field) {
    BlockHistograms histograms(keys.size(), field);
    histograms.for_each_block([&](std::size_t block) {
        std::size_t const begin = histograms.block_begin(block);
        std::size_t const end = histograms.block_begin(block + 1);
        std::span<std::uint64_t> const counts = histograms.of(block);
        for (std::size_t i = begin; i < end; ++i) {
            ++counts[field.of(keys[i])];
        }
    });
    return histograms;
}

/// Stable scatter: writes the keys and values of `from` to `to` in ascending order of digits.
/// \pre `histograms` are the counts of `from`, not yet write positions; both regions have one size
template <class Image, class Value>
void scatter(KeyArrays<Image, Value> const& from,
             KeyArrays<Image, Value> const& to,
             BlockHistograms histograms) {
    KEYSWAP_EXPECTS(from.size() == to.size());
    histograms.to_write_positions();
    BitField const field = histograms.field();
    histograms.for_each_block([&](std::size_t block) {
        std::size_t const end = histograms.block_begin(block + 1);
        std::span<std::uint64_t> const positions = histograms.of(block);
        for (std::size_t i = histograms.block_begin(block); i < end; ++i) {
            Image const key = from.keys[i];
            std::uint64_t const position = positions[field.of(key)]++;
            to.keys[position] = key;
            if constexpr (!std::is_same_v<Value, NoValue>) {
                to.values[position] = from.values[i];
            }
        }
    });
}

/// Copies keys and values, in parallel if large enough.
template <class Image, class Value>
void copy_keys(KeyArrays<Image, Value> const& from, KeyArrays<Image, Value> const& to) {
    KEYSWAP_EXPECTS(from.size() == to.size());
    constexpr std::size_t grain = std::size_t{1} << 20; ///< keys; at least 4 MiB per task
    parallel_ranges(from.size(), grain, [&](std::uint64_t begin, std::uint64_t end) {
        std::memcpy(
            to.keys.data() + begin, from.keys.data() + begin, (end - begin) * sizeof(Image));
        if constexpr (!std::is_same_v<Value, NoValue>) {
            std::memcpy(to.values.data() + begin,
                        from.values.data() + begin,
                        (end - begin) * sizeof(Value));
        }
    });
}

} // namespace keyswap::model
