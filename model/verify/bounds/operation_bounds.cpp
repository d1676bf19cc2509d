#include "model/verify/bounds/operation_bounds.hpp"

#include "model/graphs/delta_stepping.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/partition/record_multisplit.hpp"
#include "model/partition/shuffle.hpp"
#include "model/verify/bounds/possible.hpp"
#include "model/verify/record_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace keyswap::model::verify {

namespace {

/// Overloads of() check a record of each type.
class OperationBounds {
  public:
    explicit OperationBounds(RecordedRun const& run)
        : header_(run.header), gpu_count_(run.gpu_count()), rounds_(run.relaxations.size()) {
        for (BucketFunctionRecord const& record : run.functions) {
            functions_.emplace(record.id, &record);
        }
    }

    [[nodiscard]] Possible of(BucketFunctionRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(is_of(partitions()));
        if (functions_.at(record.id) != &record) {
            return misfit("an id of its own", "function " + std::to_string(record.id) + " again");
        }
        KEYSWAP_RETURN_IF_ERROR(whole_input(record.bucket));
        return wrong_function(record);
    }
    [[nodiscard]] Possible of(HistogramRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(is_of(partitions()));
        bool const has_steps = header_.operation != Operation::histogram;
        if (record.step.has_value() != has_steps) {
            return misfit(has_steps ? "the step that counts" : "no step, as there is only one",
                          record.step ? "step " + std::to_string(*record.step) : "none");
        }
        KEYSWAP_RETURN_IF_ERROR(step(record.step.value_or(1)));
        if (!record.function) {
            return misfit("the function that is counted", "none");
        }
        return part(record, *record.function, record.counts.size(), "counts");
    }
    [[nodiscard]] Possible of(PartitionRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(is_of(partitions() && header_.operation != Operation::histogram));
        KEYSWAP_RETURN_IF_ERROR(step(record.step));
        KEYSWAP_RETURN_IF_ERROR(part(record, record.function, record.starts.size(), "starts"));
        if (record.count > header_.key_count) {
            return misfit("at most " + keys_text(header_.key_count), keys_text(record.count));
        }
        if ((record.tile_keys > 0) != record.table.has_value()) {
            return misfit("a table with the size of its tiles, or neither",
                          record.table ? "only a table" : "only the size");
        }
        bool const stable = record.stability == Stability::stable;
        if (stable != record.output.has_value()) {
            return misfit(stable ? "the output of a stable partition"
                                 : "no output, as an unstable partition may leave any order",
                          stable ? "none" : "one");
        }
        return {};
    }
    [[nodiscard]] Possible of(DigestRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(is_of(partitions() && header_.operation != Operation::histogram));
        if (record.stage == DigestStage::after_swap && !record.step) {
            KEYSWAP_RETURN_IF_ERROR(is_of(is_shuffle(header_)));
        } else if (record.stage != DigestStage::after_step || !record.step) {
            return misfit("a digest after a step", "one without a step, or of another stage");
        } else {
            KEYSWAP_RETURN_IF_ERROR(step(*record.step));
        }
        if (record.bucket.pass != 1) {
            return misfit("a bucket of the step's function", bucket_text(record.bucket));
        }
        return gpu(record.gpu);
    }
    [[nodiscard]] Possible of(PlacementRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(exchange_by(std::max(record.first, record.last)));
        if (is_shuffle(header_) && record.bucket.pass != 1) {
            return misfit("a bucket of the function", bucket_text(record.bucket));
        }
        return {};
    }
    [[nodiscard]] Possible of(OwnershipRecord const& record) const {
        return exchange_by(record.gpu);
    }
    [[nodiscard]] Possible of(CopyRecord const& record) const {
        return exchange_by(std::max(record.source, record.destination));
    }
    [[nodiscard]] Possible of(RelaxationRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(is_of(header_.operation == Operation::sssp));
        // Missing rounds are reported elsewhere, unless most are missing.
        if (record.round / 2 > rounds_) {
            return misfit("one of " + std::to_string(rounds_) + " rounds",
                          "round " + std::to_string(record.round));
        }
        bool const two = header_.variant == to_string(PathMethod::near_far);
        std::size_t const counts = two ? 2 : path_buckets;
        if (record.counts.size() != counts) {
            return misfit(std::to_string(counts) + " counts", std::to_string(record.counts.size()));
        }
        return {};
    }
    /// Records without fields to check here.
    template <class Record>
    [[nodiscard]] Possible of(Record const& /*record*/) const {
        bool const external = std::same_as<Record, ExternalSortRecord> ||
                              std::same_as<Record, RangeDivisionRecord> ||
                              std::same_as<Record, KeyRangeRecord>;
        return is_of(header_.operation == (external ? Operation::external_sort : Operation::sort));
    }

  private:
    [[nodiscard]] bool partitions() const {
        return header_.operation != Operation::sssp &&
               header_.operation != Operation::external_sort;
    }

    [[nodiscard]] Possible is_of(bool allowed) const {
        if (allowed) {
            return {};
        }
        return misfit("records of a " + std::string(to_string(header_.operation)),
                      "one of another operation");
    }
    [[nodiscard]] Possible gpu(GpuId gpu) const {
        if (gpu.value < gpu_count_) {
            return {};
        }
        return misfit("a GPU below " + std::to_string(gpu_count_),
                      "GPU " + std::to_string(gpu.value));
    }
    /// \param last highest GPU that the record of an exchange refers to
    [[nodiscard]] Possible exchange_by(GpuId last) const {
        if (header_.operation == Operation::sort) {
            return {}; // checked in more detail elsewhere
        }
        KEYSWAP_RETURN_IF_ERROR(is_of(is_shuffle(header_)));
        return gpu(last);
    }
    [[nodiscard]] static Possible step(int step) {
        if (step >= 1 && step <= step_max) {
            return {};
        }
        return misfit("a step from 1 to " + std::to_string(step_max), std::to_string(step));
    }
    [[nodiscard]] static Possible whole_input(BucketPrefix bucket) {
        if (bucket == BucketPrefix{}) {
            return {};
        }
        return misfit("the whole input", bucket_text(bucket));
    }
    [[nodiscard]] Possible wrong_function(BucketFunctionRecord const& record) const {
        BucketFunction const& function = record.function;
        if (function.buckets > recorded_buckets_max) {
            return misfit("at most " + std::to_string(recorded_buckets_max) + " buckets",
                          std::to_string(function.buckets));
        }
        auto const valid = validated(function, key_bits(header_.key_type));
        if (valid) {
            return {};
        }
        return misfit("a function of keys of " + std::to_string(key_bits(header_.key_type)) +
                          " bits",
                      valid.error().problem);
    }
    /// Checks the fields that all records of a GPU's part and its function share.
    [[nodiscard]] Possible
    part(auto const& record, std::uint32_t id, std::size_t entries, std::string const& what) const {
        KEYSWAP_RETURN_IF_ERROR(gpu(record.gpu));
        KEYSWAP_RETURN_IF_ERROR(whole_input(record.bucket));
        auto const function = functions_.find(id);
        if (function == functions_.end() || !of(*function->second)) {
            return misfit("a function that the trace describes", "function " + std::to_string(id));
        }
        if (entries != function->second->function.buckets) {
            return misfit(std::to_string(function->second->function.buckets) + " " + what,
                          std::to_string(entries));
        }
        return {};
    }

    RunHeader const& header_;
    std::uint32_t gpu_count_;
    std::size_t rounds_;
    std::map<std::uint32_t, BucketFunctionRecord const*> functions_;
};

/// Calls visit(list, check) for each kind of decision record: the member of a run that lists
/// them, and the check that covers them.
void for_each_operation_kind(auto const& visit) {
    visit(&RecordedRun::functions, Check::functions);
    visit(&RecordedRun::histograms, Check::histograms);
    visit(&RecordedRun::partitions, Check::partitions);
    visit(&RecordedRun::digests, Check::digests_after_step);
    visit(&RecordedRun::relaxations, Check::rounds);
    visit(&RecordedRun::external_sorts, Check::memory);
    visit(&RecordedRun::range_divisions, Check::key_ranges);
    visit(&RecordedRun::key_ranges, Check::key_ranges);
    visit(&RecordedRun::placements, Check::placements);
    visit(&RecordedRun::ownership, Check::ownership);
    visit(&RecordedRun::copies, Check::copies);
    visit(&RecordedRun::sort_ranges, Check::sort_ranges);
    visit(&RecordedRun::merges, Check::merges);
}

} // namespace

std::vector<Difference> find_impossible_operation_records(RecordedRun const& run) {
    OperationBounds const bounds(run);
    std::vector<Difference> differences;
    for_each_operation_kind([&](auto list, Check check) {
        for (auto const& record : run.*list) {
            Possible const possible = bounds.of(record);
            if (possible) {
                continue;
            }
            Difference& difference = differences.emplace_back(possible.error());
            difference.check = check;
            difference.implies("No run with this header can do that.");
            if constexpr (requires { record.function.buckets; }) {
                difference.where = "function " + std::to_string(record.id);
            } else if constexpr (requires { record.method; }) {
                difference.where = step_text(record.step, record.method);
            } else if constexpr (requires { record.round; }) {
                difference.where = "round " + std::to_string(record.round);
            }
            if constexpr (requires { GpuId{record.gpu}; }) {
                difference.gpu = record.gpu;
            }
        }
    });
    return differences;
}

RecordedRun without_impossible_operation_records(RecordedRun const& run) {
    OperationBounds const bounds(run);
    RecordedRun possible = run;
    // `bounds` identifies records by their place in `run`.
    for_each_operation_kind([&](auto list, Check /*check*/) {
        (possible.*list).clear();
        std::ranges::copy_if(run.*list,
                             std::back_inserter(possible.*list),
                             [&](auto const& record) { return bounds.of(record).has_value(); });
    });
    return possible;
}

} // namespace keyswap::model::verify
