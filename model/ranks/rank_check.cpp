#include "model/ranks/rank_check.hpp"

#include "model/keys/wide_integer.hpp"
#include "model/sorts/rmg/replay_digests.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace keyswap::model {

namespace {

VerdictRecord verdict(std::string property, std::string problem) {
    return {std::move(property), problem.empty(), std::move(problem)};
}

std::string order_problem(std::vector<RankSummary> const& ranks) {
    std::optional<std::size_t> before; ///< nearest lower rank that has keys; nullopt if none
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        RankSummary const& own = ranks[rank];
        if (own.unsorted > 0) {
            return "rank " + std::to_string(rank) + ": the key at index " +
                   std::to_string(own.unsorted - 1) + " of its range is below its predecessor";
        }
        if (own.after.count == 0) {
            continue;
        }
        if (before && own.first < ranks[*before].last) {
            return "the first key of rank " + std::to_string(rank) + " is below the last of rank " +
                   std::to_string(*before);
        }
        before = rank;
    }
    return "";
}

std::string permutation_problem(std::vector<RankSummary> const& ranks) {
    MultisetDigest before;
    MultisetDigest after;
    for (RankSummary const& rank : ranks) {
        before += rank.before;
        after += rank.after;
    }
    if (before.count != after.count) {
        return "the ranks began with " + std::to_string(before.count) + " keys and end with " +
               std::to_string(after.count);
    }
    return before == after ? "" : "keys were lost, doubled or changed";
}

std::string balance_problem(std::vector<RankSummary> const& ranks, std::uint64_t owned_max) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (ranks[rank].after.count > owned_max) {
            return "rank " + std::to_string(rank) + " owns " +
                   std::to_string(ranks[rank].after.count) + " keys, more than " +
                   std::to_string(owned_max);
        }
    }
    return "";
}

} // namespace

template <class Image, class Value>
RankSummary summary_of(MultisetDigest const& before, KeyArrays<Image, Value> const& owned) {
    RankSummary summary;
    summary.before = before;
    summary.after = digest_of_range(owned);
    if (owned.size() > 0) {
        summary.first = key_image(owned.keys.front());
        summary.last = key_image(owned.keys.back());
    }
    auto const wrong = std::ranges::is_sorted_until(owned.keys);
    if (wrong != owned.keys.end()) {
        summary.unsorted = static_cast<std::uint64_t>(wrong - owned.keys.begin()) + 1;
    }
    return summary;
}

std::vector<VerdictRecord>
check_with_ranks(Communicator& ranks, RankSummary const& own, std::uint64_t owned_max) {
    auto const all = all_gather(ranks, "check", own);
    return {verdict("sorted", order_problem(all)),
            verdict("permutation", permutation_problem(all)),
            verdict("balance", balance_problem(all, owned_max))};
}

#define KEYSWAP_INSTANTIATE(Image, Value)                                                          \
    template RankSummary summary_of(MultisetDigest const&, KeyArrays<Image, Value> const&);
KEYSWAP_FOR_EACH_KEY_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE

} // namespace keyswap::model
