#include "model/verify/expected_run.hpp"

#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/partitioning.hpp"
#include "model/sorts/rmg/placement.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "model/sorts/rmg/sort_groups.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace keyswap::conformance {

namespace {

/// The histograms of a plan cannot be had from what the run recorded.
class HistogramsDisagree final : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Answers a planner from the histograms that a run recorded. Their sums are checked against the
/// chunks and against their parents, since a planner relies on them.
class RecordedSource final : public model::KeySource {
  public:
    explicit RecordedSource(RecordedRun const& run) : key_count_(run.header.key_count) {
        for (HistogramRecord const& record : run.histograms) {
            rows_[record.bucket][record.gpu] = &record.counts;
        }
    }

    [[nodiscard]] std::uint64_t key_count() const override { return key_count_; }
    [[nodiscard]] model::Counts counts() const override { return model::Counts::exact; }
    [[nodiscard]] std::vector<model::BucketHistogram>
    histograms(model::Chunks const& chunks,
               model::DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override {
        std::vector<model::BucketHistogram> result;
        for (BucketPrefix const bucket : buckets) {
            result.push_back(histogram_of(chunks, layout, bucket));
        }
        return result;
    }
    [[nodiscard]] std::vector<model::BucketHistogram>
    histograms(model::Chunks const& /*chunks*/,
               std::span<model::RefinedBucket const> /*buckets*/,
               std::uint32_t /*child_count*/) override {
        throw HistogramsDisagree("only histograms of digits can be planned from");
    }
    [[nodiscard]] std::vector<std::uint64_t>
    images_at(std::span<std::uint64_t const> /*positions*/) override {
        throw HistogramsDisagree("a trace records no keys to draw a sample from");
    }

  private:
    model::BucketHistogram histogram_of(model::Chunks const& chunks,
                                        model::DigitLayout const& layout,
                                        BucketPrefix bucket) {
        std::uint32_t const digits = layout.digit_count(bucket.pass + 1);
        model::BucketHistogram histogram(bucket, chunks.gpu_count(), digits);
        for (GpuId gpu{0}; gpu.value < chunks.gpu_count(); ++gpu.value) {
            std::uint64_t const part = keys_of_part(chunks, layout, bucket, gpu);
            auto const* const counts = find(bucket, gpu);
            if (counts == nullptr && part == 0) {
                continue;
            }
            if (counts == nullptr || counts->size() != digits || !adds_up(*counts, part)) {
                throw HistogramsDisagree("the histogram of GPU " + std::to_string(gpu.value) +
                                         " in pass " + std::to_string(bucket.pass + 1) +
                                         " is missing or does not count " + std::to_string(part) +
                                         " keys");
            }
            histogram.assign_row(gpu, histogram.add_row(*counts));
        }
        return histogram;
    }

    /// Without being misled by a sum that leaves 64 bits.
    [[nodiscard]] static bool adds_up(std::vector<std::uint64_t> const& counts,
                                      std::uint64_t part) {
        std::uint64_t rest = part;
        for (std::uint64_t const count : counts) {
            if (count > rest) {
                return false;
            }
            rest -= count;
        }
        return rest == 0;
    }

    [[nodiscard]] std::vector<std::uint64_t> const* find(BucketPrefix bucket, GpuId gpu) const {
        auto const rows = rows_.find(bucket);
        if (rows == rows_.end()) {
            return nullptr;
        }
        auto const row = rows->second.find(gpu);
        return row == rows->second.end() ? nullptr : row->second;
    }

    /// Keys of a bucket on a GPU, as its parent's histogram has it.
    [[nodiscard]] std::uint64_t keys_of_part(model::Chunks const& chunks,
                                             model::DigitLayout const& layout,
                                             BucketPrefix bucket,
                                             GpuId gpu) const {
        if (bucket.pass == 0) {
            return chunks.of(gpu).size();
        }
        int const bits = layout.bits_of(bucket.pass);
        auto const* const parent = find({bucket.pass - 1, bucket.prefix >> bits}, gpu);
        return parent == nullptr ? 0
                                 : (*parent)[static_cast<std::size_t>(
                                       bucket.prefix & ((std::uint64_t{1} << bits) - 1))];
    }

    std::uint64_t key_count_;
    std::map<BucketPrefix, std::map<GpuId, std::vector<std::uint64_t> const*>> rows_;
};

bool recorded_a_pass(RecordedRun const& run) {
    return !run.histograms.empty() || !run.placements.empty();
}

/// Adds the first pass to the plan of a run on one GPU.
void add_first_pass(model::Plan& plan, model::KeySource& source) {
    model::PlannedBucket const whole = model::whole_input(plan.chunks);
    plan.passes = {
        model::plan_pass(plan.chunks, plan.layout, plan.tolerance, std::span(&whole, 1), source)};
    plan.buckets = plan.passes.front().buckets;
    plan.ownership = model::plan_ownership(plan.chunks, plan.buckets);
    plan.sort_groups = model::plan_sort_groups(plan);
}

} // namespace

Expected<model::SortConfig> config_of(RunHeader const& header) {
    if (header.operation != Operation::sort) {
        return tl::unexpected(InputError{"operation",
                                         std::string(to_string(header.operation)) + " is no sort",
                                         "verify runs of a sort"});
    }
    if (auto const algorithm = find_algorithm_info(header.algorithm)) {
        for (auto const& [name, value] : header.parameters) {
            if (find_parameter(**algorithm, name) == nullptr) {
                return tl::unexpected(
                    InputError{"parameters",
                               "'" + name + "' is not a parameter of " + header.algorithm,
                               "leave it out"});
            }
        }
        if (auto const valid = validated_parameters(**algorithm, header); !valid) {
            return tl::unexpected(valid.error());
        }
    }
    model::SortConfig config;
    config.key_count = header.key_count;
    config.gpu_count = static_cast<std::uint32_t>(header.gpus.size());
    static_cast<SortShape&>(config) = static_cast<SortShape const&>(header);
    static_cast<SortParameters&>(config) = static_cast<SortParameters const&>(header);
    return model::validated(config);
}

model::Plan plan_as_recorded(model::SortConfig const& config,
                             model::KeySource& source,
                             RecordedRun const& run) {
    model::Plan plan = model::plan_rmg_sort(config, source);
    if (config.gpu_count == 1 && config.key_count > 0 && recorded_a_pass(run)) {
        add_first_pass(plan, source);
    }
    return plan;
}

PlanAndDigests
plan_and_digests(model::SortConfig const& config, InputKeys& keys, RecordedRun const& run) {
    std::string problem; // found again, and told, when histograms are compared
    if (auto recorded = plan_from_histograms(config, run, problem)) {
        if (auto digests = digests_if_planned(*recorded, keys)) {
            return {std::move(*recorded), std::move(*digests)};
        }
    }
    model::Plan plan = plan_as_recorded(config, keys.source(), run);
    ExpectedDigests digests = expected_digests(plan, keys);
    return {std::move(plan), std::move(digests)};
}

std::optional<model::Plan> plan_from_histograms(model::SortConfig const& config,
                                                RecordedRun const& run,
                                                std::string& problem) {
    try {
        RecordedSource source(run);
        return plan_as_recorded(config, source, run);
    } catch (HistogramsDisagree const& disagreement) {
        problem = disagreement.what();
        return std::nullopt;
    }
}

} // namespace keyswap::conformance
