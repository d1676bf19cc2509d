#include "model/verify/operation_bounds.hpp"

#include "model/graphs/delta_stepping.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/partition/record_multisplit.hpp"
#include "model/partition/shuffle.hpp"
#include "model/verify/verify_parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace keyswap::model::verify {

namespace {

/// An impossible value in a record.
struct Misfit {
    std::string expected;
    std::string recorded;
};
using FoundMisfit = std::optional<Misfit>;

/// Overloads of() return what is wrong with a record of each type.
class OperationBounds {
  public:
    explicit OperationBounds(RecordedRun const& run)
        : header_(run.header), gpu_count_(run.gpu_count()), rounds_(run.relaxations.size()) {
        for (BucketFunctionRecord const& record : run.functions) {
            functions_.emplace(record.id, &record);
        }
    }

    [[nodiscard]] FoundMisfit of(BucketFunctionRecord const& record) const {
        if (auto found = is_of(partitions())) {
            return found;
        }
        if (functions_.at(record.id) != &record) {
            return Misfit{"an id of its own", "function " + std::to_string(record.id) + " again"};
        }
        if (auto found = whole_input(record.bucket)) {
            return found;
        }
        return wrong_function(record);
    }
    [[nodiscard]] FoundMisfit of(HistogramRecord const& record) const {
        if (auto found = is_of(partitions())) {
            return found;
        }
        bool const has_steps = header_.operation != Operation::histogram;
        if (record.step.has_value() != has_steps) {
            return Misfit{has_steps ? "the step that counts" : "no step, as there is only one",
                          record.step ? "step " + std::to_string(*record.step) : "none"};
        }
        if (auto found = step(record.step.value_or(1))) {
            return found;
        }
        if (!record.function) {
            return Misfit{"the function that is counted", "none"};
        }
        return part(record, *record.function, record.counts.size(), "counts");
    }
    [[nodiscard]] FoundMisfit of(PartitionRecord const& record) const {
        if (auto found = is_of(partitions() && header_.operation != Operation::histogram)) {
            return found;
        }
        if (auto found = step(record.step)) {
            return found;
        }
        if (auto found = part(record, record.function, record.starts.size(), "starts")) {
            return found;
        }
        if (record.count > header_.key_count) {
            return Misfit{"at most " + keys_text(header_.key_count), keys_text(record.count)};
        }
        if ((record.tile_keys > 0) != record.table.has_value()) {
            return Misfit{"a table with the size of its tiles, or neither",
                          record.table ? "only a table" : "only the size"};
        }
        bool const stable = record.stability == Stability::stable;
        if (stable != record.output.has_value()) {
            return Misfit{stable ? "the output of a stable partition"
                                 : "no output, as an unstable partition may leave any order",
                          stable ? "none" : "one"};
        }
        return std::nullopt;
    }
    [[nodiscard]] FoundMisfit of(DigestRecord const& record) const {
        if (auto found = is_of(partitions() && header_.operation != Operation::histogram)) {
            return found;
        }
        if (record.stage == DigestStage::after_swap && !record.step) {
            if (auto found = is_of(is_shuffle(header_))) {
                return found;
            }
        } else if (record.stage != DigestStage::after_step || !record.step) {
            return Misfit{"a digest after a step", "one without a step, or of another stage"};
        } else if (auto found = step(*record.step)) {
            return found;
        }
        if (record.bucket.pass != 1) {
            return Misfit{"a bucket of the step's function", bucket_text(record.bucket)};
        }
        return gpu(record.gpu);
    }
    [[nodiscard]] FoundMisfit of(PlacementRecord const& record) const {
        if (auto found = exchange_by(std::max(record.first, record.last))) {
            return found;
        }
        if (is_shuffle(header_) && record.bucket.pass != 1) {
            return Misfit{"a bucket of the function", bucket_text(record.bucket)};
        }
        return std::nullopt;
    }
    [[nodiscard]] FoundMisfit of(OwnershipRecord const& record) const {
        return exchange_by(record.gpu);
    }
    [[nodiscard]] FoundMisfit of(CopyRecord const& record) const {
        return exchange_by(std::max(record.source, record.destination));
    }
    [[nodiscard]] FoundMisfit of(RelaxationRecord const& record) const {
        if (auto found = is_of(header_.operation == Operation::sssp)) {
            return found;
        }
        // Missing rounds are reported elsewhere, unless most are missing.
        if (record.round / 2 > rounds_) {
            return Misfit{"one of " + std::to_string(rounds_) + " rounds",
                          "round " + std::to_string(record.round)};
        }
        bool const two = header_.variant == to_string(PathMethod::near_far);
        std::size_t const counts = two ? 2 : path_buckets;
        if (record.counts.size() != counts) {
            return Misfit{std::to_string(counts) + " counts", std::to_string(record.counts.size())};
        }
        return std::nullopt;
    }
    /// Records without fields to check here.
    template <class Record>
    [[nodiscard]] FoundMisfit of(Record const& /*record*/) const {
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

    [[nodiscard]] FoundMisfit is_of(bool allowed) const {
        if (allowed) {
            return std::nullopt;
        }
        return Misfit{"records of a " + std::string(to_string(header_.operation)),
                      "one of another operation"};
    }
    [[nodiscard]] FoundMisfit gpu(GpuId gpu) const {
        if (gpu.value < gpu_count_) {
            return std::nullopt;
        }
        return Misfit{"a GPU below " + std::to_string(gpu_count_),
                      "GPU " + std::to_string(gpu.value)};
    }
    /// \param last highest GPU that the record of an exchange refers to
    [[nodiscard]] FoundMisfit exchange_by(GpuId last) const {
        if (header_.operation == Operation::sort) {
            return std::nullopt; // checked in more detail elsewhere
        }
        if (auto found = is_of(is_shuffle(header_))) {
            return found;
        }
        return gpu(last);
    }
    [[nodiscard]] static FoundMisfit step(int step) {
        if (step >= 1 && step <= step_max) {
            return std::nullopt;
        }
        return Misfit{"a step from 1 to " + std::to_string(step_max), std::to_string(step)};
    }
    [[nodiscard]] static FoundMisfit whole_input(BucketPrefix bucket) {
        if (bucket == BucketPrefix{}) {
            return std::nullopt;
        }
        return Misfit{"the whole input", bucket_text(bucket)};
    }
    [[nodiscard]] FoundMisfit wrong_function(BucketFunctionRecord const& record) const {
        BucketFunction const& function = record.function;
        if (function.buckets > recorded_buckets_max) {
            return Misfit{"at most " + std::to_string(recorded_buckets_max) + " buckets",
                          std::to_string(function.buckets)};
        }
        auto const valid = validated(function, key_bits(header_.key_type));
        if (valid) {
            return std::nullopt;
        }
        return Misfit{"a function of keys of " + std::to_string(key_bits(header_.key_type)) +
                          " bits",
                      valid.error().problem};
    }
    /// Checks the fields that all records of a GPU's part and its function share.
    [[nodiscard]] FoundMisfit
    part(auto const& record, std::uint32_t id, std::size_t entries, std::string const& what) const {
        if (auto found = gpu(record.gpu)) {
            return found;
        }
        if (auto found = whole_input(record.bucket)) {
            return found;
        }
        auto const function = functions_.find(id);
        if (function == functions_.end() || of(*function->second)) {
            return Misfit{"a function that the trace describes", "function " + std::to_string(id)};
        }
        if (entries != function->second->function.buckets) {
            return Misfit{std::to_string(function->second->function.buckets) + " " + what,
                          std::to_string(entries)};
        }
        return std::nullopt;
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
            auto found = bounds.of(record);
            if (!found) {
                continue;
            }
            Difference difference = differ(check)
                                        .expect(std::move(found->expected))
                                        .found(std::move(found->recorded))
                                        .implies("No run with this header can do that.");
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
            differences.push_back(std::move(difference));
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
                             [&](auto const& record) { return !bounds.of(record); });
    });
    return possible;
}

} // namespace keyswap::model::verify
