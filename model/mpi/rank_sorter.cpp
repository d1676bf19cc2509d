#include "model/mpi/rank_sorter.hpp"

#include "model/ranks/agreement.hpp"
#include "model/ranks/even_shares.hpp"
#include "model/ranks/shares_sort.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <exception>
#include <type_traits>
#include <utility>

namespace keyswap::model {

namespace {

/// Checks that MPI is initialized with enough thread support.
Expected<void> expect_mpi() {
    int is_there = 0;
    int is_over = 0;
    MPI_Initialized(&is_there);
    MPI_Finalized(&is_over);
    if (is_there == 0 || is_over != 0) {
        return input_error("RankSorter",
                           is_over != 0 ? "MPI has ended" : "MPI is not initialised",
                           "create it between MPI_Init_thread and MPI_Finalize");
    }
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level == MPI_THREAD_SINGLE) {
        return input_error(
            "RankSorter",
            "MPI was initialised for single-threaded programs, and the sorter uses all cores",
            "initialise MPI with MPI_Init_thread and MPI_THREAD_FUNNELED");
    }
    return {};
}

SortConfig config_of(RankSortOptions const& options, std::uint32_t rank_count) {
    SortConfig config;
    static_cast<SortParameters&>(config) = static_cast<SortParameters const&>(options);
    config.direction = options.direction;
    config.gpu_count = rank_count;
    return config;
}

Expected<Algorithm const*> algorithm_of(RankSortOptions const& options, std::uint32_t rank_count) {
    KEYSWAP_TRY(auto const algorithm, find_algorithm(options.algorithm));
    if (!ranks_can_sort(*algorithm)) {
        return input_error("algorithm",
                           '\'' + options.algorithm + "' exchanges no buckets",
                           "use rmg or sample-sort");
    }
    KEYSWAP_RETURN_IF_ERROR(validated(config_of(options, rank_count)));
    return algorithm;
}

/// The options in one line, which must be the same on all ranks.
std::string options_text(RankSortOptions const& options) {
    std::string text =
        options.algorithm + (options.direction == Direction::ascending ? "" : " descending");
    visit_parameter_fields(options, [&text](char const* name, auto value) {
        text += std::string(" ") + name + ' ' + std::to_string(value);
    });
    for (auto const& [name, value] : options.parameters) {
        text += ' ' + name + ' ' + std::to_string(value);
    }
    return text;
}

/// Types in one line: "u32 keys with 8-byte values".
template <Key K, class Value>
std::string types_text() {
    std::string const keys = std::string(to_string(key_type_of<K>)) + " keys";
    if constexpr (std::is_same_v<Value, NoValue>) {
        return keys;
    } else {
        return keys + " with " + std::to_string(sizeof(Value)) + "-byte values";
    }
}

/// Converts keys to images and frees the keys' memory.
template <Key K>
std::vector<ImageOf<K>> images_of(std::vector<K>& keys, Direction direction) {
    std::vector<ImageOf<K>> images(keys.size());
    std::ranges::transform(
        keys, images.begin(), [direction](K key) { return image_of(key, direction); });
    keys = {};
    return images;
}

template <Key K>
std::vector<K> keys_of(std::vector<ImageOf<K>> const& images, Direction direction) {
    std::vector<K> keys(images.size());
    std::ranges::transform(images, keys.begin(), [direction](ImageOf<K> image) {
        return key_of<K>(image, direction);
    });
    return keys;
}

Expected<void> expect_holding(std::vector<VerdictRecord> const& verdicts) {
    auto const broken = std::ranges::find(verdicts, false, &VerdictRecord::holds);
    if (broken == verdicts.end()) {
        return {};
    }
    return input_error(
        "the sorted keys", broken->property + ": " + broken->detail, "check the machines' memory");
}

} // namespace

Expected<RankSorter> RankSorter::create(MPI_Comm comm, RankSortOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(expect_mpi());
    auto ranks = std::make_unique<MpiCommunicator>(comm, options.patience);
    try {
        KEYSWAP_RETURN_IF_ERROR(expect_same_start(*ranks, "options", options_text(options)));
        // Options are the same on all ranks, hence so is the error.
        KEYSWAP_TRY(auto const* const algorithm, algorithm_of(options, ranks->size()));
        return RankSorter(std::move(ranks), options, *algorithm);
    } catch (RankFailure const& failure) {
        return tl::unexpected(error_of(failure));
    }
}

template <Key K, class Value>
Expected<RankShare<K, Value>> RankSorter::sort_checked(std::vector<K>& keys,
                                                       std::vector<Value>& values) {
    KEYSWAP_RETURN_IF_ERROR(expect_same_start(*ranks_, "types", types_text<K, Value>()));
    Expected<void> own;
    if (!std::is_same_v<Value, NoValue> && values.size() != keys.size()) {
        own = input_error("values",
                          "are " + std::to_string(values.size()) + " for " +
                              std::to_string(keys.size()) + " keys",
                          "give one for each key");
    }
    KEYSWAP_RETURN_IF_ERROR(agree(*ranks_, "sizes", own));
    auto const shares = ranges_of(all_gather(*ranks_, "shares", std::uint64_t{keys.size()}));
    SortConfig config = config_of(options_, ranks_->size());
    config.key_type = key_type_of<K>;
    config.value_type = std::is_same_v<Value, NoValue> ? ValueType::none
                        : sizeof(Value) == 4           ? ValueType::bits32
                                                       : ValueType::bits64;
    config.key_count = shares.back().end;
    KEYSWAP_RETURN_IF_ERROR(validated(config));
    RankKeys<ImageOf<K>, Value> share{images_of(keys, options_.direction), std::move(values)};
    KEYSWAP_TRY(auto sorted, sort_shares(*ranks_, *algorithm_, config, shares, std::move(share)));
    KEYSWAP_RETURN_IF_ERROR(expect_holding(sorted.verdicts));
    return RankShare<K, Value>{keys_of<K>(sorted.owned.keys, options_.direction),
                               std::move(sorted.owned.values),
                               sorted.plan->ownership()[ranks_->rank()].base,
                               config.key_count};
}

template <Key K, class Value>
Expected<RankShare<K, Value>> RankSorter::sort_share(std::vector<K> keys,
                                                     std::vector<Value> values) {
    std::string const rank = "rank " + std::to_string(ranks_->rank());
    if (ranks_->has_failed()) {
        return input_error(rank,
                           "ranks of this sorter have failed before",
                           "create a new one from the remaining ranks");
    }
    try {
        return sort_checked(keys, values);
    } catch (RankFailure const& failure) {
        return tl::unexpected(error_of(failure));
    } catch (std::exception const& exception) {
        ranks_->report_failure(rank + " could not continue: " + exception.what());
        return input_error(rank,
                           std::string("could not continue: ") + exception.what(),
                           "give each rank fewer keys");
    }
}

template <Key K>
Expected<RankShare<K>> RankSorter::sort(std::vector<K> keys) {
    return sort_share<K, NoValue>(std::move(keys), {});
}

template <Key K, RankValue Value>
Expected<RankShare<K, Value>> RankSorter::sort(std::vector<K> keys, std::vector<Value> values) {
    return sort_share<K, Value>(std::move(keys), std::move(values));
}

// Template arguments cannot be parenthesized.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define KEYSWAP_INSTANTIATE(K)                                                                     \
    template Expected<RankShare<K>> RankSorter::sort(std::vector<K>);                              \
    template Expected<RankShare<K, std::uint32_t>> RankSorter::sort(std::vector<K>,                \
                                                                    std::vector<std::uint32_t>);   \
    template Expected<RankShare<K, std::uint64_t>> RankSorter::sort(std::vector<K>,                \
                                                                    std::vector<std::uint64_t>);
KEYSWAP_INSTANTIATE(std::uint32_t)
KEYSWAP_INSTANTIATE(std::uint64_t)
KEYSWAP_INSTANTIATE(std::int32_t)
KEYSWAP_INSTANTIATE(std::int64_t)
KEYSWAP_INSTANTIATE(float)
KEYSWAP_INSTANTIATE(double)
KEYSWAP_INSTANTIATE(uint128)
KEYSWAP_INSTANTIATE(int128)
#undef KEYSWAP_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

} // namespace keyswap::model
