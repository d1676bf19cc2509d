#include "model/ranks/rank_sort.hpp"

#include "model/keys/parallel.hpp"
#include "model/ranks/agreement.hpp"
#include "model/ranks/rank_exchange.hpp"
#include "model/ranks/rank_source.hpp"
#include "model/sorts/rmg/lsd_radix_sort.hpp"
#include "model/sorts/rmg/part_offsets.hpp"
#include "model/sorts/rmg/replay_digests.hpp"
#include "model/sorts/rmg/replay_partitioning.hpp"
#include "traces/format/trace_line.hpp"

#include <optional>
#include <type_traits>
#include <utility>

namespace keyswap::model {

namespace {

/// Hash of the plan's decisions: plans that differ in a decision have different hashes. Histograms
/// are left out, being inputs and by far the longest records.
class HashedDecisions final : public TraceSink {
  public:
    explicit HashedDecisions(int version) : version_(version) {}
    void write(TraceRecord const& record) override {
        if (std::holds_alternative<HistogramRecord>(record)) {
            return;
        }
        hash_ = text_hash(encode_line(record, version_), hash_);
    }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

  private:
    int version_;
    std::uint64_t hash_ = 0;
};

/// Runs the passes on this rank's chunk; afterwards its keys are in `scratch`, grouped by bucket.
template <class Image, class Value>
std::optional<Violation> partition_chunk(Plan const& plan,
                                         GpuId gpu,
                                         KeyArrays<Image, Value> const& chunk,
                                         KeyArrays<Image, Value> const& scratch) {
    if (plan.passes.empty()) {
        copy_keys(chunk, scratch);
        return std::nullopt;
    }
    auto const offsets = part_offsets(plan);
    for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        PassPlan const& pass = plan.passes[i];
        for (std::size_t histogram = 0; histogram < pass.histograms.size(); ++histogram) {
            std::uint64_t const offset = offsets[i][histogram][gpu.value];
            if (auto violation =
                    partition_part(plan, pass, histogram, gpu, offset, chunk, scratch)) {
                return violation;
            }
        }
    }
    return std::nullopt;
}

/// Digests of this rank's parts of all buckets, before or after the exchange.
template <class Image, class Value>
void record_digests(Plan const& plan,
                    GpuId gpu,
                    DigestStage stage,
                    KeyArrays<Image, Value> const& arrays,
                    TraceSink& sink) {
    std::uint64_t offset = 0;
    for (PlannedBucket const& bucket : plan.buckets) {
        std::uint64_t size = 0;
        if (stage == DigestStage::before_swap) {
            size = part_size(plan, bucket, gpu);
        } else {
            for (OwnedPart const& part : owned_parts(plan.chunks, bucket.placement)) {
                size += part.gpu == gpu ? part.range.size() : 0;
            }
        }
        if (size > 0) {
            sink.write(DigestRecord{
                stage, gpu, bucket.placement.bucket, digest_of_range(arrays.part(offset, size))});
        }
        offset += size;
    }
}

} // namespace

bool ranks_can_sort(Algorithm const& algorithm) {
    return algorithm.division == Division::buckets;
}

Expected<SortPlanPointer> plan_with_ranks(Communicator& ranks,
                                          Algorithm const& algorithm,
                                          SortConfig const& config,
                                          KeySource& own) {
    RankSource source(ranks, own, config.key_count);
    auto plan = algorithm.plan(config, source);
    std::uint64_t hash = 0;
    if (plan) {
        HashedDecisions records((*plan)->trace_version());
        (*plan)->record(records);
        hash = records.hash();
    }
    auto const others = differing(all_gather(ranks, "agreement on the plan", hash));
    if (!others.empty()) {
        return tl::unexpected(
            InputError{ranks_text(others),
                       "made a different plan than rank 0 from the same histograms",
                       "run the same build of the program on all machines"});
    }
    return plan;
}

template <class Image, class Value>
tl::expected<RankKeys<Image, Value>, Violation> sort_with_ranks(Communicator& ranks,
                                                                Plan const& plan,
                                                                RankKeys<Image, Value> chunk,
                                                                TraceSink* sink) {
    GpuId const gpu{ranks.rank()};
    auto partitioned = RankKeys<Image, Value>::of_size(chunk.keys.size());
    auto const violation = partition_chunk(plan, gpu, chunk.arrays(), partitioned.arrays());
    // A rank with a violation still takes part in this step, so that the others end at once.
    auto const stopped = all_gather(ranks, "partitioning", std::uint8_t{violation.has_value()});
    if (violation) {
        return tl::unexpected(*violation);
    }
    if (auto const others = stopped_ranks(stopped); !others.empty()) {
        throw RankFailure("partitioning", others, "found keys that contradict the plan");
    }
    if (sink != nullptr) {
        record_digests(plan, gpu, DigestStage::before_swap, partitioned.arrays(), *sink);
    }
    chunk = {};
    auto owned = exchange_keys(ranks, plan, std::move(partitioned));
    if (sink != nullptr) {
        record_digests(plan, gpu, DigestStage::after_swap, owned.arrays(), *sink);
    }
    auto scratch = RankKeys<Image, Value>::of_size(owned.keys.size());
    parallel_for_each(plan.sort_groups, [&](SortGroup const& group) {
        if (group.gpu == gpu) {
            sort_low_bits(owned.arrays().part(group.offset, group.count),
                          scratch.arrays().part(group.offset, group.count),
                          group.end_bit);
        }
    });
    return owned;
}

#define KEYSWAP_INSTANTIATE(Image, Value)                                                          \
    template tl::expected<RankKeys<Image, Value>, Violation> sort_with_ranks(                      \
        Communicator&, Plan const&, RankKeys<Image, Value>, TraceSink*);
KEYSWAP_FOR_EACH_KEY_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE

void RankRecords::write(TraceRecord const& record) {
    bool const concerns = std::visit(
        [this]<class Record>(Record const& r) {
            if constexpr (std::is_same_v<Record, CopyRecord>) {
                return r.source == rank_ || r.destination == rank_;
            } else if constexpr (requires { GpuId{r.gpu}; }) {
                return r.gpu == rank_;
            } else {
                return true; // collective decisions and this rank's own verdicts
            }
        },
        record);
    if (concerns) {
        sink_.write(record);
    }
}

} // namespace keyswap::model
