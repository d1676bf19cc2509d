/// \file Shrinks failing cases in all respects at once: RapidCheck alone would remove a million
/// keys one by one, each time on a GPU.

#include "proptests/live/live_case.hpp"

#include "model/partition/bucket_rule.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <set>

namespace keyswap::proptests {

namespace {

class Shrinker {
  public:
    Shrinker(LiveCase start, LiveCheck const& check, std::size_t run_count_max)
        : best_(std::move(start)), check_(check), runs_left_(run_count_max) {}

    LiveCase run() {
        bool smaller = true;
        while (smaller && runs_left_ > 0) {
            smaller = false;
            smaller = simplify_configuration() || smaller;
            smaller = simplify_split() || smaller;
            smaller = take_small_input() || smaller;
            smaller = remove_gpus() || smaller;
            smaller = remove_keys() || smaller;
            smaller = merge_values() || smaller;
            smaller = narrow_values() || smaller;
        }
        return best_;
    }

  private:
    /// Keeps the candidate if it is valid, different, and still fails. \return whether it was kept
    bool try_case(LiveCase candidate) {
        candidate.config.key_count = candidate.images.size();
        candidate.config.gpu_count = static_cast<std::uint32_t>(candidate.devices.size());
        bool const is_valid =
            !candidate.split ||
            model::validated(candidate.split->function, key_bits(candidate.config.key_type));
        if (candidate == best_ || !is_valid || runs_left_ == 0) {
            return false;
        }
        --runs_left_;
        if (!check_(candidate)) {
            return false;
        }
        best_ = std::move(candidate);
        return true;
    }

    template <class Change>
    bool try_change(Change const& change) {
        LiveCase candidate = best_;
        change(candidate);
        return try_case(std::move(candidate));
    }

    bool simplify_configuration() {
        bool smaller = false;
        smaller |= try_change([](LiveCase& c) {
            c.variant = (*find_algorithm_info(c.algorithm))->variants.back().name; // the simplest
        });
        auto const reset = [&](auto const& field) {
            smaller |= try_change([&field](LiveCase& c) {
                c.tuning.*field.member = kernels::FastTuning{}.*field.member;
            });
        };
        std::apply([&](auto const&... fields) { (reset(fields), ...); },
                   kernels::fast_tuning_fields);
        smaller |= try_change([](LiveCase& c) { c.delay_seed = std::nullopt; });
        smaller |= try_change([](LiveCase& c) { c.on_devices = false; });
        smaller |= try_change([](LiveCase& c) { c.by_ranks = false; });
        smaller |= try_change([](LiveCase& c) { c.config.stability = Stability::unstable; });
        smaller |= try_change([](LiveCase& c) { c.config.value_type = ValueType::none; });
        smaller |= try_change([](LiveCase& c) { c.config.direction = Direction::ascending; });
        smaller |= try_change([](LiveCase& c) { c.config.tolerance_ppm = 5'000; });
        smaller |= try_change([](LiveCase& c) { c.config.fuse_ppm = 10'000; });
        // A fault that needs a bucket within the tolerance, or fused buckets, needs fewer keys if
        // the tolerance or the fusing threshold is large.
        smaller |= best_.config.tolerance_ppm != 5'000 &&
                   try_change([](LiveCase& c) { c.config.tolerance_ppm = 500'000; });
        smaller |= best_.config.fuse_ppm != 10'000 &&
                   try_change([](LiveCase& c) { c.config.fuse_ppm = 1'000'000; });
        smaller |= try_change([](LiveCase& c) { c.config.digit_bits = 8; });
        for (ParameterInfo const& parameter : (*find_algorithm_info(best_.algorithm))->parameters) {
            smaller |= try_change(
                [&](LiveCase& c) { set_value(c.config, parameter, parameter.default_value); });
        }
        smaller |= try_change([](LiveCase& c) {
            bool const narrow = std::ranges::all_of(
                c.images, [](std::uint64_t image) { return image <= 0xffffffffU; });
            bool const wide = key_bits(c.config.key_type) >= 64;
            c.config.key_type = !wide || narrow ? KeyType::u32 : KeyType::u64;
            c.wide_shift = LiveCase{}.wide_shift;
        });
        // For faults that only 128-bit keys show: try u128, with keys in the lower or upper half.
        if (key_bits(best_.config.key_type) > 64) {
            smaller |= try_change([](LiveCase& c) { c.config.key_type = KeyType::u128; });
            smaller |= try_change([](LiveCase& c) { c.wide_shift = 0; }) ||
                       try_change([](LiveCase& c) { c.wide_shift = 64; });
        }
        // Try the upper halves of 64-bit keys as 32-bit keys.
        smaller |= key_bits(best_.config.key_type) == 64 && try_change([](LiveCase& c) {
                       c.config.key_type = KeyType::u32;
                       if (c.split) {
                           c.split->function = upper_half(c.split->function);
                       }
                       for (std::uint64_t& image : c.images) {
                           image >>= 32;
                       }
                   });
        return smaller;
    }

    /// Tries simpler rules, with their buckets, as long as one of them fails.
    bool simplify_split() {
        bool smaller = false;
        for (bool found = best_.split.has_value(); found;) {
            found = false;
            for (LiveSplit const& simpler :
                 simpler_splits(*best_.split, key_bits(best_.config.key_type))) {
                if (try_change([&](LiveCase& c) { c.split = simpler; })) {
                    found = true;
                    smaller = true;
                    break;
                }
            }
        }
        return smaller;
    }

    /// Tries very few keys that a single pass places, with one or two buckets per GPU. Removing
    /// keys one by one rarely produces such an input.
    bool take_small_input() {
        for (std::size_t gpus = 2; gpus <= std::min<std::size_t>(4, best_.devices.size()); ++gpus) {
            for (std::size_t const keys_per_gpu : {1, 2, 4, 8}) {
                if (gpus * keys_per_gpu >= best_.images.size()) {
                    break;
                }
                for (std::uint64_t const distinct : {1, 2}) {
                    if (try_change([&](LiveCase& c) {
                            c.devices.resize(gpus);
                            c.images = spread_images(gpus,
                                                     keys_per_gpu,
                                                     distinct,
                                                     std::min(64, key_bits(c.config.key_type)));
                        })) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /// Images whose highest bits are the number of their owner; each GPU starts with some keys of
    /// every owner. \param distinct distinct images per owner
    static std::vector<std::uint64_t>
    spread_images(std::size_t gpus, std::size_t keys_per_gpu, std::uint64_t distinct, int bits) {
        std::vector<std::uint64_t> images;
        for (std::size_t i = 0; i < gpus * keys_per_gpu; ++i) {
            std::uint64_t const low = distinct - 1 - i / gpus % distinct; // descending
            images.push_back(std::uint64_t{i % gpus} << (bits - 3) | low);
        }
        return images;
    }

    bool remove_gpus() {
        bool smaller = false;
        for (std::size_t count = 1; count < best_.devices.size(); ++count) {
            bool const fewer = try_change([count](LiveCase& c) { c.devices.resize(count); }) ||
                               // Keep the borders: remove a chunk of keys with each GPU.
                               try_change([count](LiveCase& c) {
                                   std::size_t const chunk =
                                       (c.images.size() + c.devices.size() - 1) / c.devices.size();
                                   c.images.resize(std::min(c.images.size(), chunk * count));
                                   c.devices.resize(count);
                               });
            if (fewer) {
                smaller = true;
                break;
            }
        }
        return smaller | try_change([](LiveCase& c) { std::ranges::fill(c.devices, 0); });
    }

    /// Removes ranges of keys: halves first, single keys last (delta debugging; Zeller and
    /// Hildebrandt, 2002).
    bool remove_keys() {
        bool smaller = false;
        for (std::size_t size = best_.images.size() / 2; size > 0; size /= 2) {
            for (std::size_t begin = 0; begin < best_.images.size() && runs_left_ > 0;) {
                bool const removed = try_change([begin, size](LiveCase& c) {
                    auto const first = c.images.begin() + static_cast<std::ptrdiff_t>(begin);
                    c.images.erase(first,
                                   first + static_cast<std::ptrdiff_t>(
                                               std::min(size, c.images.size() - begin)));
                });
                smaller |= removed;
                begin += removed ? 0 : size;
            }
        }
        return smaller;
    }

    /// Replaces distinct keys by the smallest key.
    bool merge_values() {
        bool smaller = false;
        std::set<std::uint64_t> const values(best_.images.begin(), best_.images.end());
        constexpr std::size_t values_tried_max = 64;
        std::size_t tried = 0;
        for (std::uint64_t const value : values) {
            if (++tried > values_tried_max) {
                break;
            }
            smaller |= try_change([value](LiveCase& c) {
                std::uint64_t const other = *std::ranges::min_element(c.images);
                std::ranges::replace(c.images, value, other);
            });
        }
        return smaller;
    }

    /// Clears a bit in all keys, for each set bit from the highest to the lowest.
    bool narrow_values() {
        bool smaller = false;
        for (int bit = 63; bit >= 0; --bit) {
            std::uint64_t const mask = std::uint64_t{1} << bit;
            bool const set = std::ranges::any_of(
                best_.images, [mask](std::uint64_t image) { return (image & mask) != 0; });
            smaller |= set && try_change([mask](LiveCase& c) {
                           for (std::uint64_t& image : c.images) {
                               image &= ~mask;
                           }
                       });
        }
        return smaller;
    }

    LiveCase best_;
    LiveCheck const& check_;
    std::size_t runs_left_;
};

} // namespace

LiveCase shrink_case(LiveCase live_case, LiveCheck const& check, std::size_t run_count_max) {
    KEYSWAP_EXPECTS(live_case.config.key_count == live_case.images.size());
    return Shrinker(std::move(live_case), check, run_count_max).run();
}

} // namespace keyswap::proptests
