#include "model/verify/expected/expected_digests.hpp"

#include "model/keys/interval_slots.hpp"
#include "model/keys/parallel.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <variant>

// The mixing loop is compiled for two instruction sets; the better one is selected at start-up.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KEYSWAP_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define KEYSWAP_VECTOR_CLONES
#endif

namespace keyswap::model::verify {

namespace {

/// Keys per batch; the buffers fit in a core's L1 cache.
constexpr std::size_t batch_size = 512;

/// Digests of a batch as structure of arrays, which compilers vectorize.
struct MixedBatch {
    std::array<std::uint64_t, batch_size> low;
    std::array<std::uint64_t, batch_size> high;
};

/// digest_of() for keys without values: saves a multiplication.
KEYSWAP_VECTOR_CLONES void
mix_keys(std::uint64_t const* images, std::size_t count, MixedBatch& mixed) {
    for (std::size_t i = 0; i < count; ++i) {
        MultisetDigest const digest = digest_of(images[i]);
        mixed.low[i] = digest.low;
        mixed.high[i] = digest.high;
    }
}

/// digest_of() for pairs of key and value.
/// \param first index of the first key
/// \param mask truncates an index to the width of the values
KEYSWAP_VECTOR_CLONES void mix_pairs(std::uint64_t const* images,
                                     std::size_t count,
                                     std::uint64_t first,
                                     std::uint64_t mask,
                                     MixedBatch& mixed) {
    for (std::size_t i = 0; i < count; ++i) {
        MultisetDigest const digest = digest_of(images[i], (first + i) & mask);
        mixed.low[i] = digest.low;
        mixed.high[i] = digest.high;
    }
}

/// \param mask 0 if keys have no values
void mix_batch(std::span<std::uint64_t const> images,
               std::uint64_t first,
               std::uint64_t mask,
               MixedBatch& mixed) {
    if (mask == 0) {
        mix_keys(images.data(), images.size(), mixed);
    } else {
        mix_pairs(images.data(), images.size(), first, mask, mixed);
    }
}

/// As above, for keys of 128 bits.
void mix_batch(std::span<uint128 const> images,
               std::uint64_t first,
               std::uint64_t mask,
               MixedBatch& mixed) {
    for (std::size_t i = 0; i < images.size(); ++i) {
        MultisetDigest const digest = digest_of_wide(key_image(images[i]), (first + i) & mask);
        mixed.low[i] = digest.low;
        mixed.high[i] = digest.high;
    }
}

MultisetDigest sum_of(MixedBatch const& mixed, std::size_t count) {
    MultisetDigest sum{count, 0, 0};
    for (std::size_t i = 0; i < count; ++i) {
        sum.low += mixed.low[i];
        sum.high += mixed.high[i];
    }
    return sum;
}

/// Intervals of the final buckets, ascending; the slot of a bucket is its index.
std::vector<CountedInterval> final_intervals(Plan const& plan) {
    std::vector<CountedInterval> intervals;
    for (std::size_t index = 0; index < plan.buckets.size(); ++index) {
        intervals.push_back({images_of(plan, plan.buckets[index]), index});
    }
    return intervals;
}

/// Finds the final bucket of a key: through a table of digits for each refined bucket, or by the
/// intervals of all final buckets if passes refine intervals. A key outside all buckets gets the
/// index after the last bucket.
class BucketFinder {
  public:
    explicit BucketFinder(Plan const& plan) : stray_(plan.buckets.size()) {
        if (plan.child_bits > 0) {
            auto const intervals = final_intervals(plan);
            int const bits = plan.layout.key_bits();
            if (bits <= 64) {
                intervals_.emplace<NarrowSlots>(intervals, bits);
            } else {
                intervals_.emplace<WideSlots>(intervals, bits);
            }
            return;
        }
        for (int pass = 1; pass <= plan.pass_count(); ++pass) {
            shifts_.push_back(plan.layout.bits_below(pass));
            masks_.push_back(plan.layout.digit_count(pass) - 1);
        }
        if (plan.passes.empty()) {
            return;
        }
        // The tables of a pass are in the order of its histograms, which is the order of the
        // spanning buckets of the previous pass.
        std::vector<std::vector<std::size_t>> tables;
        for (PassPlan const& pass : plan.passes) {
            auto& of_pass = tables.emplace_back();
            for (BucketHistogram const& histogram : pass.histograms) {
                of_pass.push_back(entries_.size());
                entries_.resize(entries_.size() + histogram.digit_count(), none);
            }
        }
        for (std::size_t i = 0; i < plan.passes.size(); ++i) {
            std::size_t spanning = 0;
            for (PlannedBucket const& bucket : plan.passes[i].buckets) {
                if (bucket.placement.state == PlacementState::spanning) {
                    entries_[tables[i][bucket.histogram] + bucket.digit] =
                        -static_cast<std::int64_t>(tables[i + 1][spanning++]);
                }
            }
        }
        for (std::size_t index = 0; index < plan.buckets.size(); ++index) {
            PlannedBucket const& bucket = plan.buckets[index];
            auto const pass = static_cast<std::size_t>(bucket.placement.bucket.pass) - 1;
            entries_[tables[pass][bucket.histogram] + bucket.digit] =
                static_cast<std::int64_t>(index);
        }
    }

    [[nodiscard]] std::size_t of(std::uint64_t image) const {
        std::size_t table = 0;
        for (std::size_t pass = 0; pass < shifts_.size(); ++pass) {
            std::int64_t const entry =
                entries_[table + static_cast<std::size_t>((image >> shifts_[pass]) & masks_[pass])];
            if (entry >= 0) {
                return static_cast<std::size_t>(entry);
            }
            if (entry == none) {
                return stray_;
            }
            table = static_cast<std::size_t>(-entry);
        }
        return stray_;
    }

    /// Finds the buckets of a batch of keys. \param buckets [images.size()] output
    template <class Word>
    void find(std::span<Word const> images, std::uint32_t* buckets) const {
        using Slots = IntervalSlots<Word>;
        if (auto const* const intervals = std::get_if<Slots>(&intervals_)) {
            std::ranges::transform(images, buckets, [&](Word image) {
                std::size_t const slot = intervals->slot_of(image);
                return static_cast<std::uint32_t>(slot == Slots::no_slot ? stray_ : slot);
            });
            return;
        }
        if (shifts_.empty()) {
            std::fill_n(buckets, images.size(), 0U); // without passes there is a single bucket
            return;
        }
        find_by_digits(images, buckets);
    }

  private:
    using NarrowSlots = IntervalSlots<std::uint64_t>;
    using WideSlots = IntervalSlots<uint128>;

    void find_by_digits(std::span<std::uint64_t const> images, std::uint32_t* buckets) const {
        // The first digit decides for most keys; local copies avoid reloading members.
        std::int64_t const* const entries = entries_.data();
        int const shift = shifts_.front();
        std::uint64_t const mask = masks_.front();
        for (std::size_t i = 0; i < images.size(); ++i) {
            std::int64_t const entry = entries[(images[i] >> shift) & mask];
            buckets[i] = static_cast<std::uint32_t>(entry >= 0 ? static_cast<std::size_t>(entry)
                                                               : of(images[i]));
        }
    }
    static void find_by_digits(std::span<uint128 const> images, std::uint32_t* /*buckets*/) {
        KEYSWAP_EXPECTS(images.empty()); // digits exist only for narrow keys
    }

    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
    std::size_t stray_;
    std::variant<std::monostate, NarrowSlots, WideSlots> intervals_; ///< empty: passes read digits
    std::vector<int> shifts_;
    std::vector<std::uint64_t> masks_;
    /// Index of a final bucket, or minus the position of the next pass's table, which is never 0.
    std::vector<std::int64_t> entries_;
};

constexpr std::uint64_t task_size = std::uint64_t{1} << 18;

/// Calls add(first index, images) for each batch of a range.
template <class Word, class Add>
void for_batches(InputKeys const& keys, IndexRange range, Add const& add) {
    std::array<Word, batch_size> buffer;
    for (std::uint64_t at = range.begin; at < range.end; at += batch_size) {
        auto const batch = std::span(buffer).first(
            static_cast<std::size_t>(std::min<std::uint64_t>(batch_size, range.end - at)));
        keys.images(at, batch);
        add(at, std::span<Word const>(batch));
    }
}

/// Mask that truncates an index to the width of the values.
std::uint64_t value_mask(ValueType type) {
    switch (type) {
    case ValueType::none:
        return 0;
    case ValueType::bits32:
        return std::numeric_limits<std::uint32_t>::max();
    case ValueType::bits64:
        break;
    }
    return ~std::uint64_t{0};
}

using Digests = std::vector<MultisetDigest>;

/// Digests of a chunk's keys by bucket; the last entry is for keys outside all buckets.
template <class Word>
Digests digests_of_chunk(Plan const& plan,
                         BucketFinder const& finder,
                         InputKeys const& keys,
                         IndexRange chunk) {
    std::uint64_t const mask = value_mask(plan.config.value_type);
    Digests sum(plan.buckets.size() + 1);
    auto const add = [&](Digests& digests, std::uint64_t begin, std::uint64_t end) {
        for_batches<Word>(keys,
                          {chunk.begin + begin, chunk.begin + end},
                          [&](std::uint64_t first, std::span<Word const> images) {
                              MixedBatch mixed;
                              mix_batch(images, first, mask, mixed);
                              std::array<std::uint32_t, batch_size> buckets;
                              finder.find(images, buckets.data());
                              for (std::size_t i = 0; i < images.size(); ++i) {
                                  MultisetDigest& digest = digests[buckets[i]];
                                  digest.count += 1;
                                  digest.low += mixed.low[i];
                                  digest.high += mixed.high[i];
                              }
                          });
    };
    for (Digests const& digests : parallel_partials(chunk.size(), task_size, sum, add)) {
        for (std::size_t bucket = 0; bucket < sum.size(); ++bucket) {
            sum[bucket] += digests[bucket];
        }
    }
    return sum;
}

bool is_as_planned(Plan const& plan, GpuId gpu, Digests const& digests) {
    for (std::size_t i = 0; i < plan.buckets.size(); ++i) {
        if (digests[i].count != part_size(plan, plan.buckets[i], gpu)) {
            return false;
        }
    }
    return digests.back().count == 0; // every key is in a bucket
}

} // namespace

std::optional<ExpectedDigests> digests_if_planned(Plan const& plan, InputKeys const& keys) {
    KEYSWAP_EXPECTS(plan.config.key_count == keys.key_count());
    BucketFinder const finder(plan);
    auto const digests_of = key_bits(plan.config.key_type) <= 64 ? digests_of_chunk<std::uint64_t>
                                                                 : digests_of_chunk<uint128>;
    ExpectedDigests expected;
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        Digests digests = digests_of(plan, finder, keys, plan.chunks.of(gpu));
        if (!is_as_planned(plan, gpu, digests)) {
            return std::nullopt;
        }
        digests.pop_back();
        for (MultisetDigest const& part : digests) {
            expected.content += part;
        }
        expected.parts.push_back(std::move(digests));
    }
    return expected;
}

ExpectedDigests expected_digests(Plan const& plan, InputKeys const& keys) {
    auto digests = digests_if_planned(plan, keys);
    KEYSWAP_EXPECTS(digests.has_value());
    return std::move(*digests);
}

namespace {

template <class Word>
MultisetDigest digest_of_words(InputKeys const& keys, ValueType value_type) {
    std::uint64_t const mask = value_mask(value_type);
    return parallel_sum<MultisetDigest>(
        keys.key_count(),
        task_size,
        [&](MultisetDigest& sum, std::uint64_t begin, std::uint64_t end) {
            for_batches<Word>(
                keys, {begin, end}, [&](std::uint64_t first, std::span<Word const> images) {
                    MixedBatch mixed;
                    mix_batch(images, first, mask, mixed);
                    sum += sum_of(mixed, images.size());
                });
        });
}

} // namespace

MultisetDigest content_digest(InputKeys const& keys, SortShape const& shape) {
    return key_bits(shape.key_type) <= 64 ? digest_of_words<std::uint64_t>(keys, shape.value_type)
                                          : digest_of_words<uint128>(keys, shape.value_type);
}

} // namespace keyswap::model::verify
