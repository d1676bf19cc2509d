#include "model/ranks/shares_sort.hpp"

#include "model/keys/materialized_source.hpp"
#include "model/ranks/agreement.hpp"
#include "model/ranks/even_shares.hpp"
#include "model/ranks/rank_check.hpp"
#include "model/sorts/rmg/replay_digests.hpp"
#include "traces/errors/try.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace keyswap::model {

namespace {

Expected<TraceSink*> begun(Communicator& ranks,
                           BeginRecord const& begin_record,
                           SortPlan const& plan,
                           MultisetDigest const& content) {
    if (!begin_record) {
        return nullptr;
    }
    auto const sink = begin_record(plan, content);
    KEYSWAP_RETURN_IF_ERROR(agree(ranks, "opening the traces", sink));
    return sink;
}

} // namespace

template <class Image, class Value>
Expected<SortedShare<Image, Value>> sort_shares(Communicator& ranks,
                                                Algorithm const& algorithm,
                                                SortConfig const& config,
                                                std::span<IndexRange const> shares,
                                                RankKeys<Image, Value> own,
                                                BeginRecord const& begin_record) {
    auto chunk = even_shares(ranks, shares, std::move(own));
    MultisetDigest const before = digest_of_range(chunk.arrays());
    SortedShare<Image, Value> share;
    for (MultisetDigest const& of_rank : all_gather(ranks, "content", before)) {
        share.content += of_rank;
    }
    auto const begin = std::chrono::steady_clock::now();
    MaterializedSource source{std::span<Image const>(chunk.keys)};
    KEYSWAP_TRY(auto plan, plan_with_ranks(ranks, algorithm, config, source));
    KEYSWAP_TRY(auto const sink, begun(ranks, begin_record, *plan, share.content));
    auto owned = sort_with_ranks(ranks, *plan->buckets(), std::move(chunk), sink);
    if (!owned) {
        // The partitioned keys differ from those that the planner counted.
        return input_error("rank " + std::to_string(ranks.rank()),
                           describe(owned.error()),
                           "check this machine's memory");
    }
    share.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    share.verdicts =
        check_with_ranks(ranks, summary_of(before, owned->arrays()), plan->owned_max());
    share.plan = std::move(plan);
    share.owned = std::move(*owned);
    return share;
}

// Template arguments cannot be parenthesized.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define KEYSWAP_INSTANTIATE(Image, Value)                                                          \
    template Expected<SortedShare<Image, Value>> sort_shares(Communicator&,                        \
                                                             Algorithm const&,                     \
                                                             SortConfig const&,                    \
                                                             std::span<IndexRange const>,          \
                                                             RankKeys<Image, Value>,               \
                                                             BeginRecord const&);
KEYSWAP_FOR_EACH_KEY_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

} // namespace keyswap::model
