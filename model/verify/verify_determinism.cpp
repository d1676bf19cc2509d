/// \file Compares recordings of one configuration and seed.

#include "model/verify/verify_trace.hpp"

#include "model/verify/record_text.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace keyswap::model::verify {

namespace {

/// The fields that define a run; excludes program, device and time.
RunHeader configuration_of(RunHeader header) {
    header.program.clear();
    header.commit.clear();
    header.created.clear();
    header.device.clear();
    header.driver.clear();
    header.gpus.assign(header.gpus.size(), 0);
    header.virtual_gpus = false;
    return header;
}

/// Excludes the method of a multisplit, as all methods must agree.
bool same_configuration(RunHeader a, RunHeader b) {
    a = configuration_of(std::move(a));
    b = configuration_of(std::move(b));
    if (a.operation == Operation::multisplit) {
        b.variant = a.variant;
    }
    return a == b;
}

/// Identifies a partition: step and GPU.
using PartitionKey = std::tuple<int, GpuId>;

/// Outputs of stable partitions: unique, whatever the method.
std::map<PartitionKey, SequenceDigest> stable_outputs(RecordedRun const& run) {
    std::map<PartitionKey, SequenceDigest> outputs;
    for (PartitionRecord const& record : run.partitions) {
        if (record.output) {
            outputs.emplace(PartitionKey{record.step, record.gpu}, *record.output);
        }
    }
    return outputs;
}

/// Compares outputs of two runs with the same functions.
void compare_outputs(RecordedRun const& first, RecordedRun const& second, Report& report) {
    auto const expected = stable_outputs(first);
    for (auto const& [key, output] : stable_outputs(second)) {
        auto const found = expected.find(key);
        if (found != expected.end() && found->second != output) {
            report.differ(Check::determinism, Verdict::not_deterministic)
                .on(std::get<GpuId>(key))
                .expect("the output of " + first.name + ", " + sequence_text(found->second))
                .found(sequence_text(output))
                .implies("Stable methods have one right output: one of them is wrong.")
                .at(step_text(std::get<int>(key), ""));
        }
    }
}

/// The graph determines the rounds.
void compare_rounds(RecordedRun const& first, RecordedRun const& second, Report& report) {
    if (first.relaxations != second.relaxations) {
        report.differ(Check::determinism, Verdict::not_deterministic)
            .expect("the rounds of " + first.name)
            .found("others for the same graph")
            .implies("The result depends on timing: a race, or memory that was not set.");
    }
}

/// Records and memory budget determine the ranges.
void compare_ranges(RecordedRun const& first, RecordedRun const& second, Report& report) {
    bool const same_memory = first.external_sorts == second.external_sorts;
    if (same_memory && (first.range_divisions != second.range_divisions ||
                        first.key_ranges != second.key_ranges)) {
        report.differ(Check::determinism, Verdict::not_deterministic)
            .expect("the ranges of " + first.name)
            .found("others for the same records")
            .implies("One of the two sorted other records, or its plan is not deterministic.");
    }
}

/// Adds a difference for the first record in which two runs differ.
/// \param key_of identifies a record within its run
template <class Record, class KeyOf>
void compare_lists(RecordedRun const& first,
                   RecordedRun const& second,
                   std::vector<Record> RecordedRun::*list,
                   std::string const& what,
                   KeyOf const& key_of,
                   Report& report) {
    auto const by_key = [&](RecordedRun const& run) {
        std::map<std::invoke_result_t<KeyOf, Record const&>, Record> records;
        for (Record const& record : run.*list) {
            records.emplace(key_of(record), record);
        }
        return records;
    };
    auto const expected = by_key(first);
    auto const found = by_key(second);
    auto const [a, b] = std::ranges::mismatch(expected, found);
    if (a == expected.end() && b == found.end()) {
        return;
    }
    Record const& record = a != expected.end() ? a->second : b->second;
    Difference& difference =
        report.differ(Check::determinism, Verdict::not_deterministic)
            .expect("the " + what + " of " + first.name)
            .found("another one for the same keys")
            .implies("The result depends on timing: a race, or memory that was not set.");
    if constexpr (requires { difference.in(record.bucket); }) {
        difference.in(record.bucket);
    }
    if constexpr (requires { difference.on(record.gpu); }) {
        difference.on(record.gpu);
    } else if constexpr (requires { difference.on(record.source); }) {
        difference.on(record.source);
    }
}

void compare_runs(RecordedRun const& first, RecordedRun const& second, Report& report) {
    auto const compare = [&](auto list, std::string const& what, auto key_of) {
        compare_lists(first, second, list, what, key_of, report);
    };
    auto const part_of = [](auto const& r) { return std::pair{r.bucket, r.gpu}; };
    compare(&RecordedRun::histograms, "histogram", part_of);
    compare(&RecordedRun::placements, "placement", [](auto const& r) { return r.bucket; });
    compare(&RecordedRun::ownership, "ownership", [](auto const& r) { return r.gpu; });
    compare(&RecordedRun::copies, "copy", [](auto const& r) {
        return std::tuple{r.source, r.source_offset, r.destination}; // two halves count as two
    });
    compare(&RecordedRun::sort_ranges, "sort range", [](auto const& r) {
        return std::pair{r.gpu, r.offset};
    });
    compare(&RecordedRun::digests, "digest", [&part_of](auto const& r) {
        return std::pair{r.stage, part_of(r)};
    });
}

} // namespace

void verify_determinism(std::span<RecordedRun const> runs, std::span<Report> reports) {
    for (std::size_t later = 1; later < runs.size(); ++later) {
        auto const is_like = [&](RecordedRun const& run) {
            return same_configuration(run.header, runs[later].header) &&
                   run.functions == runs[later].functions;
        };
        auto const first = std::ranges::find_if(runs.first(later), is_like);
        if (first == runs.begin() + static_cast<std::ptrdiff_t>(later)) {
            continue;
        }
        if (!first->file.empty() && first->file == runs[later].file) {
            reports[later].skip(Check::determinism, "it is the same file as " + first->name);
            continue;
        }
        reports[later].mark_checked(Check::determinism);
        compare_runs(*first, runs[later], reports[later]);
        compare_rounds(*first, runs[later], reports[later]);
        compare_ranges(*first, runs[later], reports[later]);
        // If the first run's method is unstable, compare with the first run with stable outputs.
        auto const stable = std::ranges::find_if(runs.first(later), [&](RecordedRun const& run) {
            return is_like(run) && !stable_outputs(run).empty();
        });
        if (stable != runs.begin() + static_cast<std::ptrdiff_t>(later)) {
            compare_outputs(*stable, runs[later], reports[later]);
        }
    }
}

} // namespace keyswap::model::verify
