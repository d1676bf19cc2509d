/// \file Compares recordings of one configuration and seed.

#include "model/verify/verify_trace.hpp"

#include "model/verify/verify_parts.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

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

/// Identifies a copy by its source range. Two halves of a copy count as two.
using CopyKey = std::tuple<GpuId, std::uint64_t, GpuId>;

template <class Key, class Record, class KeyOf>
std::map<Key, Record> by_key(std::vector<Record> const& records, KeyOf const& key_of) {
    std::map<Key, Record> map;
    for (Record const& record : records) {
        map.emplace(key_of(record), record);
    }
    return map;
}

/// Adds a difference for the first entry in which two maps differ.
template <class Key, class Record, class Place>
void compare_maps(std::map<Key, Record> const& first,
                  std::map<Key, Record> const& second,
                  std::string const& what,
                  std::string const& first_name,
                  Place const& place,
                  Report& report) {
    auto const [a, b] = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
    if (a == first.end() && b == second.end()) {
        return;
    }
    Record const& record = a != first.end() ? a->second : b->second;
    Difference difference =
        differ(Check::determinism, Verdict::not_deterministic)
            .expect("the " + what + " of " + first_name)
            .found("another one for the same keys")
            .implies("The result depends on timing: a race, or memory that was not set.");
    place(record, difference);
    report.add(std::move(difference));
}

void compare_runs(RecordedRun const& first, RecordedRun const& second, Report& report) {
    auto const at_bucket = [](auto const& record, Difference& difference) {
        difference.bucket = record.bucket;
    };
    auto const at_gpu = [](auto const& record, Difference& difference) {
        difference.gpu = record.gpu;
    };
    auto const at_part = [](auto const& record, Difference& difference) {
        difference.bucket = record.bucket;
        difference.gpu = record.gpu;
    };
    auto const compare =
        [&]<class Key>(Key, auto records, auto key_of, std::string const& what, auto place) {
            compare_maps(by_key<Key>(first.*records, key_of),
                         by_key<Key>(second.*records, key_of),
                         what,
                         first.name,
                         place,
                         report);
        };
    using Part = std::pair<BucketPrefix, GpuId>;
    auto const part_of = [](auto const& r) { return Part{r.bucket, r.gpu}; };
    compare(Part{}, &RecordedRun::histograms, part_of, "histogram", at_part);
    compare(
        BucketPrefix{},
        &RecordedRun::placements,
        [](auto const& r) { return r.bucket; },
        "placement",
        at_bucket);
    compare(
        GpuId{}, &RecordedRun::ownership, [](auto const& r) { return r.gpu; }, "ownership", at_gpu);
    compare(
        CopyKey{},
        &RecordedRun::copies,
        [](auto const& r) {
            return CopyKey{r.source, r.source_offset, r.destination};
        },
        "copy",
        [](CopyRecord const& r, Difference& difference) { difference.gpu = r.source; });
    compare(
        std::pair<GpuId, std::uint64_t>{},
        &RecordedRun::sort_ranges,
        [](auto const& r) {
            return std::pair{r.gpu, r.offset};
        },
        "sort range",
        at_gpu);
    compare(
        std::pair<DigestStage, Part>{},
        &RecordedRun::digests,
        [&part_of](auto const& r) {
            return std::pair{r.stage, part_of(r)};
        },
        "digest",
        at_part);
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
