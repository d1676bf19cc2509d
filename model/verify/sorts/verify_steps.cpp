/// \file Checks sorts without buckets: sorts of chunks or initial runs, followed by stages of
/// copies and merges.

#include "model/verify/record_text.hpp"
#include "model/verify/sorts/sort_checks.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/joined_text.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace keyswap::model::verify {

namespace {

/// The steps of a plan, by type and in order.
struct Steps {
    std::vector<CopyRecord> copies;
    std::vector<SortRangeRecord> sorts;
    std::vector<MergeRecord> merges;
};

Steps steps_of(SortPlan const& plan) {
    struct Collector {
        Steps& steps;
        void operator()(CopyRecord const& copy) const {
            if (copy.count > 0) {
                steps.copies.push_back(copy);
            }
        }
        void operator()(SortRangeRecord const& sort) const { steps.sorts.push_back(sort); }
        void operator()(MergeRecord const& merge) const { steps.merges.push_back(merge); }
        void operator()(ScatterStep const&) const {}
    };
    Steps steps;
    plan.for_each_step([&steps](PlanStep const& step) { std::visit(Collector{steps}, step); });
    return steps;
}

auto place_of_copy(CopyRecord const& copy) {
    return std::tuple(
        copy.source, copy.source_offset, copy.destination, copy.destination_offset, copy.count);
}
auto fields_of(CopyRecord const& copy) {
    return std::tuple_cat(std::tuple(copy.stage), place_of_copy(copy));
}
auto fields_of(MergeRecord const& merge) {
    return std::tuple(merge.stage, merge.gpu, merge.offset, merge.runs);
}

std::string text_of(CopyRecord const& copy) {
    return "keys " + range_text(copy.source_offset, copy.source_offset + copy.count) + " to " +
           range_text(copy.destination_offset, copy.destination_offset + copy.count) + " of GPU " +
           std::to_string(copy.destination.value) + " in stage " + std::to_string(copy.stage);
}
std::string text_of(MergeRecord const& merge) {
    constexpr std::size_t shown_max = 4;
    auto const shown = std::span(merge.runs).first(std::min(merge.runs.size(), shown_max));
    return "runs of " + joined_text(shown, " and ") +
           (merge.runs.size() > shown_max ? " and more" : "") + " keys from offset " +
           std::to_string(merge.offset) + (merge.gpu ? "" : " by the CPU") + " in stage " +
           std::to_string(merge.stage);
}

GpuId const* acting_gpu(CopyRecord const& copy) {
    return &copy.source;
}
GpuId const* acting_gpu(MergeRecord const& merge) {
    return merge.gpu ? &*merge.gpu : nullptr;
}

/// Reports every record that occurs on one side only.
template <class Record>
void compare_records(std::vector<Record> expected,
                     std::vector<Record> recorded,
                     Difference difference,
                     Report& report) {
    auto const fields = [](Record const& record) { return fields_of(record); };
    std::ranges::sort(expected, {}, fields);
    std::ranges::sort(recorded, {}, fields);
    auto const add = [&](Record const& record, std::string expectation, std::string found) {
        GpuId const* const gpu = acting_gpu(record);
        report.add(difference.on(gpu == nullptr ? std::nullopt : std::optional(*gpu))
                       .expect(std::move(expectation))
                       .found(std::move(found)));
    };
    std::string const none = difference.recorded;
    std::vector<Record> missing;
    std::vector<Record> surplus;
    std::ranges::set_difference(
        expected, recorded, std::back_inserter(missing), {}, fields, fields);
    std::ranges::set_difference(
        recorded, expected, std::back_inserter(surplus), {}, fields, fields);
    for (Record const& record : missing) {
        add(record, text_of(record), none);
    }
    for (Record const& record : surplus) {
        add(record, none, text_of(record));
    }
}

/// Assigns stages to copies of version 1 by matching them with the plan's copies; among equal
/// copies, the first line gets the lowest stage.
void take_stages(std::vector<CopyRecord>& recorded, std::vector<CopyRecord> expected) {
    std::ranges::stable_sort(expected, {}, &CopyRecord::stage);
    std::vector<bool> used(expected.size(), false);
    for (CopyRecord& copy : recorded) {
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (!used[i] && place_of_copy(expected[i]) == place_of_copy(copy)) {
                used[i] = true;
                copy.stage = expected[i].stage;
                break;
            }
        }
    }
}

/// Version 1 implies stages only by line order: a GPU's stages must not decrease.
void verify_line_order(std::vector<CopyRecord> const& recorded, Report& report) {
    std::map<GpuId, int> reached;
    for (CopyRecord const& copy : recorded) {
        for (GpuId const gpu : {copy.source, copy.destination}) {
            int& stage = reached[gpu];
            if (copy.stage < stage) {
                report.differ(Check::copies)
                    .on(gpu)
                    .expect(text_of(copy) + " before those of stage " + std::to_string(stage))
                    .found("it after them")
                    .implies("Keys are exchanged that a later stage has moved already.");
                return;
            }
            stage = copy.stage;
        }
    }
}

void verify_exchanges(RecordedRun const& run, Steps const& expected, Report& report) {
    report.mark_checked(Check::copies);
    std::vector<CopyRecord> recorded = run.copies;
    std::erase_if(recorded, [](CopyRecord const& copy) { return copy.count == 0; });
    bool const has_stages = run.header.version > 1;
    if (!has_stages) {
        take_stages(recorded, expected.copies);
    }
    std::size_t const differences = report.differences.size();
    compare_records(expected.copies,
                    recorded,
                    differ(Check::copies)
                        .found("no such copy")
                        .implies("The two chunks are not split at the pivot: their keys overlap."),
                    report);
    if (has_stages) {
        report.mark_checked(Check::merges);
        compare_records(expected.merges,
                        run.merges,
                        differ(Check::merges)
                            .found("no such merge")
                            .implies("Two sorted runs are left unmerged, or others are mixed."),
                        report);
        return;
    }
    if (report.differences.size() == differences) {
        verify_line_order(recorded, report);
    }
    if (!expected.merges.empty()) {
        report.skip(
            Check::merges,
            expected.copies.empty()
                ? "format version 1 does not record them"
                : "format version 1 records neither merges nor the stages of copies; of these the "
                  "order of lines was compared");
    }
}

std::string text_of(std::vector<SortRangeRecord> const& sorts, std::size_t place) {
    return place < sorts.size() ? sort_text(sorts[place]) : "none";
}

/// Reports each GPU's first sort that differs from the plan.
void verify_sorts(RecordedRun const& run,
                  std::uint32_t gpu_count,
                  std::vector<SortRangeRecord> const& expected,
                  Report& report) {
    report.mark_checked(Check::sort_ranges);
    std::map<GpuId, std::vector<SortRangeRecord>> recorded;
    for (SortRangeRecord const& range : run.sort_ranges) {
        if (range.count > 0) {
            recorded[range.gpu].push_back(range);
        }
    }
    std::map<GpuId, std::vector<SortRangeRecord>> planned;
    for (SortRangeRecord const& range : expected) {
        planned[range.gpu].push_back(range);
    }
    Difference difference =
        differ(Check::sort_ranges).implies("A run is not in order when it is merged.");
    for (GpuId gpu{0}; gpu.value < gpu_count; ++gpu.value) {
        auto& found = recorded[gpu];
        std::ranges::stable_sort(found, {}, &SortRangeRecord::offset);
        auto const place = std::ranges::mismatch(found, planned[gpu]);
        if (place.in1 != found.end() || place.in2 != planned[gpu].end()) {
            auto const index = static_cast<std::size_t>(place.in1 - found.begin());
            report.add(difference.on(gpu)
                           .expect(text_of(planned[gpu], index))
                           .found(text_of(found, index)));
        }
    }
}

} // namespace

void verify_chunks(RecordedRun const& run,
                   Algorithm const& algorithm,
                   SortConfig const& config,
                   Report& report) {
    Chunks const chunks(config.key_count, config.gpu_count);
    ParameterInfo const* const of_runs = find_parameter(algorithm.info(), "run-keys");
    std::uint64_t const run_keys = of_runs != nullptr ? value_of(config, *of_runs) : chunks.size();
    std::vector<OwnershipRecord> ownership;
    std::vector<SortRangeRecord> sorts;
    for (GpuId gpu{0}; gpu.value < config.gpu_count; ++gpu.value) {
        IndexRange const chunk = chunks.of(gpu);
        ownership.push_back({gpu, chunk.begin, chunk.size()});
        for (std::uint64_t begin = 0; begin < chunk.size(); begin += run_keys) {
            sorts.push_back({gpu,
                             begin,
                             std::min(run_keys, chunk.size() - begin),
                             0,
                             key_bits(config.key_type)});
        }
    }
    verify_ownership(run, ownership, report);
    verify_sorts(run, config.gpu_count, sorts, report);
}

void verify_steps(RecordedRun const& run, SortPlan const& plan, Report& report) {
    Steps const expected = steps_of(plan);
    verify_ownership(run, plan.ownership(), report);
    verify_sorts(run, plan.config().gpu_count, expected.sorts, report);
    verify_exchanges(run, expected, report);
}

} // namespace keyswap::model::verify
