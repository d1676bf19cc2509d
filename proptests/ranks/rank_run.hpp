#pragma once

/// \file One case sorted by ranks that are threads, beside the same case sorted in one process.

#include "model/keys/materialized_source.hpp"
#include "model/ranks/even_shares.hpp"
#include "model/ranks/rank_check.hpp"
#include "model/ranks/rank_sort.hpp"
#include "model/ranks/thread_communicator.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "model/sorts/rmg/replay_digests.hpp"
#include "model/verify/recorded_run.hpp"
#include "proptests/properties/sort_case.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// What one rank came to.
template <class Image, class Value>
struct RankResult {
    std::string failure; ///< of a rank, or a refusal to plan; empty if it sorted
    std::vector<std::uint32_t> blamed;
    model::RankKeys<Image, Value> owned;
    conformance::RecordedRun records;
    std::vector<VerdictRecord> verdicts;
};

/// Stands between a rank and its end of the connection, for faults.
using Interceptor = std::function<std::unique_ptr<model::Communicator>(model::Communicator& end)>;

/// Keys of a case, with the input index as value.
template <class Image, class Value>
[[nodiscard]] model::RankKeys<Image, Value> keys_of(SortCase const& sort_case,
                                                    model::IndexRange range) {
    auto keys = model::RankKeys<Image, Value>::of_size(range.size());
    for (std::uint64_t i = 0; i < range.size(); ++i) {
        keys.keys[i] = static_cast<Image>(sort_case.images[range.begin + i]);
        if constexpr (!std::is_same_v<Value, model::NoValue>) {
            keys.values[i] = static_cast<Value>(range.begin + i);
        }
    }
    return keys;
}

template <class Image, class Value>
void sort_as_rank(model::Communicator& ranks,
                  model::Algorithm const& algorithm,
                  SortCase const& sort_case,
                  std::span<model::IndexRange const> shares,
                  RankResult<Image, Value>& result) {
    auto share = keys_of<Image, Value>(sort_case, shares[ranks.rank()]);
    auto chunk = model::even_shares(ranks, shares, std::move(share));
    MultisetDigest const before = model::digest_of_range(chunk.arrays());
    model::MaterializedSource own{std::span<Image const>(chunk.keys)};
    auto const plan = model::plan_with_ranks(ranks, algorithm, sort_case.config, own);
    if (!plan) {
        result.failure = plan.error().message();
        return;
    }
    conformance::RecordedRunSink sink("rank");
    model::RankRecords records(sink, GpuId{ranks.rank()});
    records.write(model::header_of(sort_case.config, algorithm.name));
    (*plan)->record(records);
    auto owned = model::sort_with_ranks(ranks, *(*plan)->buckets(), std::move(chunk), &records);
    if (!owned) {
        result.failure = model::describe(owned.error());
        return;
    }
    result.owned = std::move(*owned);
    result.verdicts = model::check_with_ranks(
        ranks, model::summary_of(before, result.owned.arrays()), (*plan)->owned_max());
    result.records = std::move(sink.run());
}

/// The chunks that a case's keys are divided into.
[[nodiscard]] inline std::vector<model::IndexRange> even_shares_of(SortCase const& sort_case) {
    return model::ranges_of(model::Chunks(sort_case.config.key_count, sort_case.config.gpu_count));
}

/// \param shares [rank] the keys that each has at first
/// \return [rank]
template <class Image, class Value>
[[nodiscard]] std::vector<RankResult<Image, Value>>
sort_by_ranks(model::Algorithm const& algorithm,
              SortCase const& sort_case,
              std::span<model::IndexRange const> shares,
              Interceptor const& intercept = {}) {
    std::vector<RankResult<Image, Value>> results(sort_case.config.gpu_count);
    model::ThreadRanks ranks(sort_case.config.gpu_count, std::chrono::seconds(60));
    ranks.run([&](model::Communicator& end) {
        auto& result = results[end.rank()];
        try {
            auto const between = intercept ? intercept(end) : nullptr;
            sort_as_rank(between ? *between : end, algorithm, sort_case, shares, result);
        } catch (model::RankFailure const& failure) {
            result.failure = failure.what();
            result.blamed = failure.ranks();
        }
    });
    return results;
}

} // namespace keyswap::proptests
