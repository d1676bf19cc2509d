/// \file Golden test of messages for planted faults: every fault of the catalogue and a change of
/// every field, in one run per operation.

#include "model/distributions/counter_generator.hpp"
#include "model/partition/shuffle.hpp"
#include "model/partition/step_plan.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"
#include "model/verify/verify_trace.hpp"
#include "proptests/faults/trace_fault_kinds.hpp"
#include "proptests/faults/trace_faults.hpp"
#include "proptests/properties/fast_run.hpp"
#include "proptests/properties/field_change.hpp"
#include "proptests/properties/reference_partition.hpp"
#include "proptests/properties/reference_run.hpp"
#include "traces/testing/recorded_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;

RunHeader header_of(Operation operation, std::size_t gpus, std::uint64_t keys) {
    RunHeader header;
    header.version = 2;
    header.program = "keyswap";
    header.algorithm = to_string(operation);
    header.operation = operation;
    header.virtual_gpus = true;
    header.key_count = keys;
    header.gpus.resize(gpus);
    std::iota(header.gpus.begin(), header.gpus.end(), 0);
    header.value_type = ValueType::bits32;
    header.stability = Stability::stable;
    header.input.distribution = "zipf";
    header.input.seed = 11;
    header.input.generator_version = model::generator_version;
    return header;
}

RecordedRun sorted_by(std::string const& algorithm, std::string const& variant, std::size_t gpus) {
    RunHeader header = header_of(Operation::sort, gpus, 200);
    header.algorithm = algorithm;
    header.variant = variant;
    header.digit_bits = 4;
    header.tolerance_ppm = 0;
    header.fuse_ppm = 0;
    if (algorithm == "sample-sort") {
        header.parameters = {{"ways", 4}, {"oversampling", 4}, {"sample-seed", 1}};
    }
    return record_reference(header).value();
}

/// Keys of a single value, without values; every GPU holds some.
RecordedRun cut_at_borders() {
    RunHeader header = header_of(Operation::sort, 3, 90);
    header.algorithm = "rmg";
    header.variant = "reference";
    header.key_type = KeyType::i64;
    header.direction = Direction::descending;
    header.value_type = ValueType::none;
    header.tolerance_ppm = 0;
    header.input.distribution = "zero";
    return record_reference(header).value();
}

/// A merge on three GPUs, for which the model's sort of that name has no plan.
RecordedRun merged_by_three(int version) {
    RecordedRun run = sorted_by("het-merge", "", 3);
    run.header.algorithm = "p2p-merge";
    return version == 1 ? as_version_1(run) : run;
}

/// 128-bit keys divided by splitters.
RecordedRun sorted_wide() {
    RunHeader header = header_of(Operation::sort, 2, 60);
    header.algorithm = "sample-sort";
    header.variant = "fast";
    header.key_type = KeyType::u128;
    header.tolerance_ppm = 0;
    header.input.distribution = "uniform";
    header.parameters = {{"ways", 4}, {"oversampling", 4}, {"sample-seed", 1}};
    return record_reference(header).value();
}

/// A sort on one GPU or CPU, for which there is a model.
RecordedRun sorted_alone(std::string const& algorithm,
                         std::map<std::string, std::uint64_t> const& parameters) {
    RunHeader header = header_of(Operation::sort, 1, 40);
    header.algorithm = algorithm;
    header.variant = "published";
    header.value_type = ValueType::none;
    header.parameters = parameters;
    return record_reference(header).value();
}

RecordedRun split_by(BucketFunction const& function, std::size_t gpus, bool shuffled) {
    PartitionCase one{header_of(Operation::multisplit, gpus, 60), {function}, {}, {}};
    one.header.gpus.assign(gpus, 0);
    one.header.variant = "all";
    if (shuffled) {
        one.header.layout = SwapLayout::by_bucket;
        one.header.parameters = {{std::string(model::given_owners_parameter), 0}};
    }
    return record_partitions(one).value();
}

RecordedRun counted() {
    PartitionCase one{header_of(Operation::histogram, 2, 60), {{5, HashBuckets{3}}}, {}, {}};
    one.header.gpus.assign(2, 0);
    return record_partitions(one).value();
}

RecordedRun sorted_by_steps() {
    PartitionCase one{
        header_of(Operation::sort, 1, 40), model::digit_steps(model::even_digits(32, 11)), {}, {}};
    one.header.algorithm = "steps";
    return record_partitions(one).value();
}

RecordedRun searched(std::string const& method) {
    RunHeader header = (any_path_header())(rc::Random(3), 10).value();
    header.variant = method;
    return record_search(header).value();
}

/// A run and the faults that can be planted in it.
struct Subject {
    char const* name;
    RecordedRun run;
    std::vector<TraceFault> faults;
};

std::vector<TraceFault> all_faults(std::vector<std::vector<TraceFault>> const& lists) {
    std::vector<TraceFault> all;
    for (auto const& list : lists) {
        all.insert(all.end(), list.begin(), list.end());
    }
    return all;
}

Subject subject_of(std::size_t index) {
    std::vector<TraceFault> const of_sorts(trace_faults().begin(), trace_faults().end());
    using Make = std::function<Subject()>;
    std::vector<Make> const all{
        [&] {
            return Subject{"rmg", sorted_by("rmg", "reference", 3), of_sorts};
        },
        [&] {
            return Subject{
                "sample-sort", sorted_by("sample-sort", "reference", 2), placement_faults()};
        },
        [&] {
            return Subject{"p2p-merge", sorted_by("p2p-merge", "", 2), merge_faults()};
        },
        [&] {
            return Subject{"het-merge", sorted_by("het-merge", "", 2), merge_faults()};
        },
        [&] {
            return Subject{
                "multisplit", split_by({5, HashBuckets{3}}, 1, false), partition_faults()};
        },
        [&] {
            return Subject{"shuffle",
                           split_by({5, HashBuckets{3}}, 3, true),
                           all_faults({partition_faults(), shuffle_faults()})};
        },
        [&] {
            return Subject{"histogram", counted(), partition_faults()};
        },
        [&] {
            return Subject{"steps", sorted_by_steps(), step_faults()};
        },
        [&] {
            return Subject{"search", searched("bucketing"), path_faults()};
        },
        [&] {
            return Subject{"near-far", searched("near-far"), path_faults()};
        },
        [&] {
            return Subject{"cut", cut_at_borders(), of_sorts};
        },
        [&] {
            return Subject{"by-source", fast_run(SwapLayout::by_source), of_sorts};
        },
        [&] {
            return Subject{"version-1", as_version_1(sorted_by("rmg", "rotated", 2)), of_sorts};
        },
        [&] {
            return Subject{
                "merge-version-1", as_version_1(sorted_by("p2p-merge", "", 4)), merge_faults()};
        },
        [&] {
            return Subject{"rounds", fast_run(SwapLayout::by_round), of_sorts};
        },
        [&] {
            return Subject{
                "rounds-version-1", as_version_1(fast_run(SwapLayout::by_round)), of_sorts};
        },
        [&] {
            return Subject{"merge-of-three", merged_by_three(2), merge_faults()};
        },
        [&] {
            return Subject{"merge-of-three-version-1", merged_by_three(1), merge_faults()};
        },
        [&] {
            return Subject{"wide", sorted_wide(), placement_faults()};
        },
        [&] {
            return Subject{
                "network-merge", sorted_alone("network-merge", {{"run-keys", 7}}), merge_faults()};
        },
        [&] {
            return Subject{"multisplit-sort", sorted_alone("multisplit-sort", {}), step_faults()};
        }};
    return all[index]();
}

/// The run with its input marked as impossible to generate again.
RecordedRun without_keys(RecordedRun run) {
    run.header.input.generator_version = 99;
    return run;
}

enum class Reasons { shown, left_out };

/// The first differences with their places, and the number of others.
std::string
messages_of(RecordedRun const& run, std::size_t shown = 2, Reasons reasons = Reasons::shown) {
    auto const report = model::verify::verify_run(run);
    if (!report) {
        return "  refused: " + report.error().message() + '\n';
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, report->differences.size()); ++i) {
        text += "  " + sentence_of(report->differences[i]) + '\n';
    }
    if (report->differences.size() > shown) {
        text += "  and " + std::to_string(report->differences.size() - shown) + " more\n";
    }
    for (std::size_t i = 0; reasons == Reasons::shown && i < report->unchecked.size(); ++i) {
        model::verify::Unchecked const& one = report->unchecked[i];
        text += "  unchecked " + std::string(to_string(one.check)) + ": " + one.reason + '\n';
    }
    return text;
}

class RecordedDifferences : public ::testing::TestWithParam<std::size_t> {
  protected:
    static void expect_as_recorded(std::string const& name, std::string const& text) {
        testing::expect_recorded(
            KEYSWAP_SOURCE_DIR "/proptests/recorded/differences/" + name + ".txt", text);
    }
};

TEST_P(RecordedDifferences, OfPlantedFaultsAreAsRecorded) {
    Subject const subject = subject_of(GetParam());
    ASSERT_EQ(messages_of(subject.run).find("refused"), std::string::npos);
    std::string text = "right\n" + messages_of(subject.run) + "  without the keys\n" +
                       messages_of(without_keys(subject.run));
    for (TraceFault const& fault : subject.faults) {
        RecordedRun run = subject.run;
        if (fault.plant(run, 7)) {
            text += std::string(fault.name) + '\n' + messages_of(run);
            text += "  without the keys\n" + messages_of(without_keys(run), 1, Reasons::left_out);
        }
    }
    expect_as_recorded(std::string(subject.name) + "-faults", text);
}

/// Changes of each field by 1 and to its maximum, in the middle record of its kind.
TEST_P(RecordedDifferences, OfChangedFieldsAreAsRecorded) {
    Subject const subject = subject_of(GetParam());
    auto const records = model::verify::records_of(subject.run);
    std::map<std::size_t, std::vector<std::size_t>> of_kind;
    for (std::size_t i = 1; i < records.size(); ++i) {
        of_kind[records[i].index()].push_back(i);
    }
    constexpr std::size_t fields_most = 12;
    std::string text;
    for (auto const& [kind, places] : of_kind) {
        std::size_t const place = places[places.size() / 2];
        for (std::size_t field = 0; field < fields_most; ++field) {
            for (std::uint64_t const choice : {0U, 5U}) {
                auto changed = records;
                auto const what = change_field(changed, {place, field, choice});
                if (what) {
                    text += what->record + '.' + what->field + '\n' +
                            messages_of(
                                model::verify::recorded_run_of("", changed), 3, Reasons::left_out);
                }
            }
        }
        for (bool const twice : {false, true}) {
            auto changed = records;
            auto const at = changed.begin() + static_cast<std::ptrdiff_t>(place);
            twice ? changed.insert(at, records[place]) : changed.erase(at);
            text += std::string(twice ? "twice" : "missing") + '\n' +
                    messages_of(model::verify::recorded_run_of("", changed), 3, Reasons::left_out);
        }
    }
    expect_as_recorded(std::string(subject.name) + "-fields", text);
}

/// Removes all records of a kind, with and without access to the keys.
TEST_P(RecordedDifferences, OfMissingKindsAreAsRecorded) {
    Subject const subject = subject_of(GetParam());
    auto const records = model::verify::records_of(subject.run);
    std::set<std::size_t> kinds;
    for (TraceRecord const& record : records) {
        kinds.insert(record.index());
    }
    kinds.erase(TraceRecord(RunHeader()).index());
    std::string text;
    for (std::size_t const kind : kinds) {
        auto kept = records;
        std::erase_if(kept, [kind](TraceRecord const& record) { return record.index() == kind; });
        RecordedRun const run = model::verify::recorded_run_of("", kept);
        text += std::to_string(kind) + '\n' + messages_of(run) + "  without the keys\n" +
                messages_of(without_keys(run));
    }
    expect_as_recorded(std::string(subject.name) + "-kinds", text);
}

INSTANTIATE_TEST_SUITE_P(Operations, RecordedDifferences, ::testing::Range<std::size_t>(0, 21));

} // namespace
} // namespace keyswap::proptests
