#include "model/verify/expected/expected_run.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/partitioning.hpp"
#include "model/sorts/rmg/placement.hpp"
#include "model/sorts/rmg/sort_groups.hpp"
#include "model/sorts/sample/refined_planner.hpp"
#include "model/verify/run_checks.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <stdexcept>

namespace keyswap::model::verify {

namespace {

/// Thrown if the recorded run does not determine a histogram or function of the plan.
class HistogramsDisagree final : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Answers a planner's queries from the recorded histograms. Their sums are checked against the
/// chunks and their parents, because planners rely on them.
class RecordedSource final : public KeySource {
  public:
    /// \param keys source of samples; null if not available
    RecordedSource(RecordedRun const& run, KeySource* keys)
        : key_count_(run.header.key_count), keys_(keys) {
        for (HistogramRecord const& record : run.histograms) {
            rows_[record.bucket][record.gpu] = &record.counts;
        }
    }

    [[nodiscard]] std::uint64_t key_count() const override { return key_count_; }
    [[nodiscard]] Counts counts() const override { return Counts::exact; }
    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override {
        std::vector<BucketHistogram> result;
        for (BucketPrefix const bucket : buckets) {
            std::uint32_t const digits = layout.digit_count(bucket.pass + 1);
            result.push_back(histogram_of(chunks, bucket, bits_of(layout, bucket), digits, digits));
        }
        return result;
    }
    [[nodiscard]] std::vector<BucketHistogram> histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) override {
        std::vector<BucketHistogram> result;
        for (RefinedBucket const& bucket : buckets) {
            reject_counts_of_empty_children(bucket);
            result.push_back(histogram_of(chunks,
                                          bucket.bucket,
                                          std::bit_width(child_count - 1),
                                          static_cast<std::uint32_t>(bucket.children.size()),
                                          child_count));
        }
        return result;
    }
    [[nodiscard]] std::vector<uint128>
    images_at(std::span<std::uint64_t const> positions) override {
        KEYSWAP_EXPECTS(keys_ != nullptr); // else the plan uses the recorded functions
        return keys_->images_at(positions);
    }

  private:
    /// nullopt for the whole input, which has no parent.
    static std::optional<int> bits_of(DigitLayout const& layout, BucketPrefix bucket) {
        return bucket.pass == 0 ? std::nullopt : std::optional(layout.bits_of(bucket.pass));
    }

    /// Rejects counts for children without images.
    void reject_counts_of_empty_children(RefinedBucket const& bucket) const {
        auto const rows = rows_.find(bucket.bucket);
        if (rows == rows_.end()) {
            return;
        }
        for (auto const& [gpu, counts] : rows->second) {
            for (std::size_t i = 0; i < std::min(counts->size(), bucket.children.size()); ++i) {
                if ((*counts)[i] > 0 && bucket.children[i].empty()) {
                    throw HistogramsDisagree("a histogram of pass " +
                                             std::to_string(bucket.bucket.pass + 1) +
                                             " counts keys of a bucket that has none");
                }
            }
        }
    }

    /// \param bits width of the bucket's index in its parent; unused for the whole input
    /// \param recorded number of counts in a record of the bucket
    /// \param columns of the result; unrecorded ones are zero
    BucketHistogram histogram_of(Chunks const& chunks,
                                 BucketPrefix bucket,
                                 std::optional<int> bits,
                                 std::uint32_t recorded,
                                 std::uint32_t columns) {
        BucketHistogram histogram(bucket, chunks.gpu_count(), columns);
        for (GpuId gpu{0}; gpu.value < chunks.gpu_count(); ++gpu.value) {
            std::uint64_t const part = keys_of_part(chunks, bucket, bits, gpu);
            auto const* const counts = find(bucket, gpu);
            if (counts == nullptr && part == 0) {
                continue;
            }
            if (counts == nullptr || counts->size() != recorded || !add_up(*counts, part)) {
                throw HistogramsDisagree("the histogram of GPU " + std::to_string(gpu.value) +
                                         " in pass " + std::to_string(bucket.pass + 1) +
                                         " is missing or does not count " + std::to_string(part) +
                                         " keys");
            }
            std::vector<std::uint64_t> row = *counts;
            row.resize(columns, 0);
            histogram.assign_row(gpu, histogram.add_row(row));
        }
        return histogram;
    }

    [[nodiscard]] std::vector<std::uint64_t> const* find(BucketPrefix bucket, GpuId gpu) const {
        auto const rows = rows_.find(bucket);
        if (rows == rows_.end()) {
            return nullptr;
        }
        auto const row = rows->second.find(gpu);
        return row == rows->second.end() ? nullptr : row->second;
    }

    /// Number of keys of a bucket on a GPU, according to its parent's histogram.
    [[nodiscard]] std::uint64_t keys_of_part(Chunks const& chunks,
                                             BucketPrefix bucket,
                                             std::optional<int> bits,
                                             GpuId gpu) const {
        if (bucket.pass == 0) {
            return chunks.of(gpu).size();
        }
        auto const* const parent = find({bucket.pass - 1, bucket.prefix >> bits.value()}, gpu);
        std::uint64_t const index = bucket.prefix & ((std::uint64_t{1} << bits.value()) - 1);
        return parent == nullptr || index >= parent->size() ? 0 : (*parent)[index];
    }

    std::uint64_t key_count_;
    KeySource* keys_;
    std::map<BucketPrefix, std::map<GpuId, std::vector<std::uint64_t> const*>> rows_;
};

/// Divides buckets by the functions that a run recorded.
class RecordedRefinement final : public Refinement {
  public:
    RecordedRefinement(RecordedRun const& run, int child_bits)
        : key_bits_(key_bits(run.header.key_type)), child_bits_(child_bits) {
        for (BucketFunctionRecord const& record : run.functions) {
            functions_[record.bucket] = &record.function;
        }
    }

    [[nodiscard]] RefinedPass refine(int pass,
                                     std::span<SpanningBucket const> spanning,
                                     KeySource& /*source*/) const override {
        RefinedPass refined;
        for (SpanningBucket const& bucket : spanning) {
            auto const found = functions_.find(bucket.bucket);
            if (found == functions_.end() || !is_usable(*found->second)) {
                throw HistogramsDisagree("the function of a bucket of pass " +
                                         std::to_string(pass - 1) +
                                         " is missing or gives it no ascending children");
            }
            refined.buckets.push_back(children_of(bucket, *found->second, key_bits_));
            refined.functions.push_back(*found->second);
        }
        return refined;
    }
    [[nodiscard]] int child_bits() const override { return child_bits_; }

  private:
    [[nodiscard]] bool is_usable(BucketFunction const& function) const {
        return function.buckets <= std::uint64_t{1} << child_bits_ &&
               validated(function, key_bits_) && lower_edges(function, key_bits_);
    }

    int key_bits_;
    int child_bits_;
    std::map<BucketPrefix, BucketFunction const*> functions_;
};

bool recorded_per_pass(RecordedRun const& run) {
    return !run.histograms.empty() || !run.placements.empty();
}

/// Adds the first pass to the plan of a run on one GPU.
void add_first_pass(Plan& plan, KeySource& source) {
    PlannedBucket const whole = whole_input(plan.chunks);
    plan.passes = {
        plan_pass(plan.chunks, plan.layout, plan.tolerance, std::span(&whole, 1), source)};
    plan.buckets = plan.passes.front().buckets;
    plan.ownership = plan_ownership(plan.chunks, plan.buckets);
    plan.sort_groups = plan_sort_groups(plan);
}

/// A plan from recorded decisions; nullopt if they are inconsistent, with the reason in `problem`.
template <class MakePlan>
std::optional<Plan> plan_from_records(MakePlan const& make_plan, std::string& problem) {
    try {
        Expected<Plan> plan = make_plan();
        if (plan) {
            return std::move(*plan);
        }
        problem = plan.error().problem;
    } catch (HistogramsDisagree const& disagreement) {
        problem = disagreement.what();
    }
    return std::nullopt;
}

} // namespace

Expected<SortConfig> config_of(RunHeader const& header) {
    if (header.operation != Operation::sort) {
        return input_error("operation",
                           std::string(to_string(header.operation)) + " is not a sort",
                           "verify runs of a sort");
    }
    if (auto const algorithm = find_algorithm_info(header.algorithm)) {
        for (auto const& [name, value] : header.parameters) {
            if (find_parameter(**algorithm, name) == nullptr) {
                return input_error("parameters",
                                   "'" + name + "' is not a parameter of " + header.algorithm,
                                   "leave it out");
            }
        }
        KEYSWAP_RETURN_IF_ERROR(validated_parameters(**algorithm, header));
        KEYSWAP_RETURN_IF_ERROR(check_key_type(**algorithm, header.key_type));
    }
    SortConfig config;
    config.key_count = header.key_count;
    config.gpu_count = static_cast<std::uint32_t>(header.gpus.size());
    static_cast<SortShape&>(config) = static_cast<SortShape const&>(header);
    static_cast<SortParameters&>(config) = static_cast<SortParameters const&>(header);
    return validated(config);
}

Expected<SortConfig> config_of(RecordedRun const& run) {
    return config_of(run.header).map_error([&run](InputError const& error) {
        return InputError{run.name + ", " + error.subject, error.problem, "record the run again"};
    });
}

BucketSpace bucket_space_of(SortConfig const& config, RecordedRun const& run) {
    int const bits = key_bits(config.key_type);
    auto const algorithm = find_algorithm(run.header.algorithm);
    if (!algorithm || (*algorithm)->refinement == nullptr) {
        return BucketSpace(DigitLayout(bits, config.digit_bits));
    }
    BucketSpace space(bits, (*algorithm)->refinement(config)->child_bits());
    std::vector<BucketFunctionRecord> functions = run.functions;
    std::ranges::stable_sort(functions, {}, &BucketFunctionRecord::bucket); // parents first
    for (BucketFunctionRecord const& record : functions) {
        space.divide(record.bucket, record.function);
    }
    return space;
}

Expected<Plan>
plan_as_recorded(SortConfig const& config, KeySource& source, RecordedRun const& run) {
    return find_algorithm(run.header.algorithm)
        .and_then([&](Algorithm const* algorithm) { return algorithm->plan(config, source); })
        .map([&](SortPlanPointer const& sort_plan) {
            KEYSWAP_EXPECTS(sort_plan->buckets() != nullptr);
            Plan plan = *sort_plan->buckets();
            bool const by_digits = plan.child_bits == 0;
            if (by_digits && config.gpu_count == 1 && config.key_count > 0 &&
                recorded_per_pass(run)) {
                add_first_pass(plan, source);
            }
            return plan;
        });
}

Expected<RecordedRun> decisions_without_keys(SortConfig const& config, RecordedRun const& run) {
    auto const algorithm = find_algorithm(run.header.algorithm);
    if (!algorithm || (*algorithm)->division != Division::steps) {
        return input_error("algorithm",
                           "'" + run.header.algorithm + "' is not a sort of steps",
                           "record the run again");
    }
    RecordedSource source(run, nullptr);
    return (*algorithm)->plan(config, source).map([&](SortPlanPointer const& plan) {
        RecordedRunSink sink(run.name);
        plan->record(sink);
        return std::move(sink.run());
    });
}

Expected<std::pair<Plan, ExpectedDigests>>
plan_and_digests(SortConfig const& config, InputKeys& keys, RecordedRun const& run) {
    std::string problem; // not needed: the comparison of histograms reports the problem
    RecordedSource recorded_source(run, &keys.source());
    auto const make_plan = [&] { return plan_as_recorded(config, recorded_source, run); };
    if (auto recorded = plan_from_records(make_plan, problem)) {
        if (auto digests = digests_if_planned(*recorded, keys)) {
            return std::pair{std::move(*recorded), std::move(*digests)};
        }
    }
    return plan_as_recorded(config, keys.source(), run).map([&](Plan plan) {
        ExpectedDigests digests = expected_digests(plan, keys);
        return std::pair{std::move(plan), std::move(digests)};
    });
}

std::optional<Plan>
plan_from_histograms(SortConfig const& config, RecordedRun const& run, std::string& problem) {
    RecordedSource source(run, nullptr);
    auto const algorithm = find_algorithm(run.header.algorithm);
    auto const make_plan = [&] {
        if (!algorithm || (*algorithm)->refinement == nullptr) {
            return plan_as_recorded(config, source, run);
        }
        RecordedRefinement const refinement(run, (*algorithm)->refinement(config)->child_bits());
        return plan_refined_sort(config, refinement, source);
    };
    return plan_from_records(make_plan, problem);
}

} // namespace keyswap::model::verify
