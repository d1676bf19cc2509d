#include "model/verify/verify_trace.hpp"

#include "model/partition/label_column.hpp"
#include "model/testing/plain_source.hpp"
#include "model/testing/temporary_keys.hpp"
#include "model/verify/record_text.hpp"
#include "model/verify/run_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model::verify {
namespace {

using model::testing::KeyFolder;

std::string sentence_or_error(Expected<Report> const& report) {
    if (!report) {
        return report.error().message();
    }
    return report->differences.empty() ? "" : sentence_of(report->differences.front());
}

std::vector<std::string> reasons_of(Report const& report, Check check) {
    std::vector<std::string> reasons;
    for (Unchecked const& unchecked : report.unchecked) {
        if (unchecked.check == check) {
            reasons.push_back(unchecked.reason);
        }
    }
    return reasons;
}

/// More keys than the limit for executing records; fails if any key is requested.
class ManyKeys final : public InputKeys {
  public:
    [[nodiscard]] std::uint64_t key_count() const override { return (1U << 24) + 2; }
    [[nodiscard]] model::KeySource& source() override { return none_; }
    void images(std::uint64_t /*begin*/, std::span<std::uint64_t> /*images*/) const override {
        ADD_FAILURE() << "keys are made";
    }
    void images(std::uint64_t /*begin*/, std::span<model::uint128> /*images*/) const override {
        ADD_FAILURE() << "keys are made";
    }

  private:
    model::PlainSource none_{std::vector<model::uint128>()};
};

/// The chunks of a merge sort on a number of GPUs that the model cannot plan.
TEST(VerifyTrace, SaysThatRecordsOfSoManyKeysAreNotCarriedOut) {
    ManyKeys keys;
    RecordedRun run;
    run.header.version = 2;
    run.header.algorithm = "p2p-merge";
    run.header.gpus = {0, 1, 2};
    run.header.key_count = keys.key_count();
    std::uint64_t const chunk = keys.key_count() / 3;
    for (GpuId gpu{0}; gpu.value < 3; ++gpu.value) {
        run.ownership.push_back({gpu, gpu.value * chunk, chunk});
        run.sort_ranges.push_back({gpu, 0, chunk, 0, 32});
    }
    auto const report = verify_run_of(run, keys);
    ASSERT_TRUE(report.has_value()) << report.error().message();
    EXPECT_TRUE(report->holds()) << sentence_or_error(report);
    EXPECT_EQ(reasons_of(*report, Check::copies),
              std::vector<std::string>{"there are too many keys to carry them out"});
    EXPECT_EQ(std::ranges::count(report->checked, Check::output), 0);
}

/// A multisplit of three keys, without values, by labels from a file.
RecordedRun split_by_labels(KeyFolder const& folder, std::vector<std::uint32_t> const& labels) {
    RecordedRun run;
    run.name = "run.trace";
    run.header.version = 2;
    run.header.algorithm = "multisplit";
    run.header.operation = Operation::multisplit;
    run.header.variant = "fused";
    run.header.gpus = {0};
    run.header.key_count = 3;
    run.header.input.distribution = "file";
    run.header.input.file = folder.put("keys.raw", std::vector<std::uint32_t>{7, 5, 9}).string();
    run.functions = {
        {0,
         {},
         {2, LabelBuckets{model::label_digest(labels), folder.put("labels", labels).string()}}}};
    HistogramRecord histogram;
    histogram.step = 1;
    histogram.function = 0;
    histogram.counts = {1, 2};
    run.histograms = {histogram};
    PartitionRecord partition;
    partition.count = 3;
    partition.method = "fused";
    partition.starts = {0, 1};
    SequenceDigest output;
    std::uint64_t place = 0;
    for (std::uint64_t const key : {5, 7, 9}) {
        output += digest_at(place++, digest_of(key));
    }
    partition.output = output;
    run.partitions = {partition};
    run.verdicts = {{"partition", true, ""}};
    return run;
}

TEST(LabelColumns, AreThoseThatTheRunHad) {
    KeyFolder const folder;
    std::vector<std::uint32_t> const labels{1, 0, 1};
    auto const right = verify_run(split_by_labels(folder, labels));
    EXPECT_EQ(sentence_or_error(right), "");
    EXPECT_TRUE(reasons_of(*right, Check::functions).empty());
    std::string const file = (folder / "labels").string();
    std::string const digest = sequence_text(model::label_digest(labels));

    RecordedRun run = split_by_labels(folder, labels);
    folder.put("labels", std::vector<std::uint32_t>{0, 1, 1});
    EXPECT_EQ(sentence_or_error(verify_run(run)),
              "wrong input in bucket functions, function 0: expected labels of " + file + ", " +
                  sequence_text(model::label_digest(std::vector<std::uint32_t>{0, 1, 1})) +
                  ", recorded " + digest + ". The run had labels other than those in its file.");

    folder.put("labels", std::vector<std::uint32_t>{1, 0, 2});
    std::string const text = sentence_or_error(verify_run(run));
    EXPECT_EQ(text.substr(0, text.find(", recorded")),
              "wrong input in bucket functions, function 0: expected labels below 2 in " + file);

    folder.put("labels", labels);
    std::get<LabelBuckets>(run.functions[0].function.rule).labels.count = 4;
    EXPECT_EQ(sentence_or_error(verify_run(run)),
              "wrong input in bucket functions, function 0: expected a label for each of 3 keys, "
              "recorded 4. Some keys have no label, or some labels no key.");
}

TEST(LabelColumns, ThatCannotBeReadAreListedWithTheReason) {
    KeyFolder const folder;
    RecordedRun run = split_by_labels(folder, {1, 0, 1});
    auto const reasons = [&run](VerifyLimits const& limits = {}) {
        auto const report = verify_run(run, limits);
        EXPECT_EQ(sentence_or_error(report), "");
        return report ? reasons_of(*report, Check::functions) : std::vector<std::string>();
    };
    using Reasons = std::vector<std::string>;
    VerifyLimits records_only;
    records_only.records_only = true;
    EXPECT_EQ(reasons(records_only), Reasons{"labels, as there are no keys"});
    auto& rule = std::get<LabelBuckets>(run.functions[0].function.rule);
    rule.file = (folder / "absent").string();
    EXPECT_EQ(reasons(), Reasons{"the file of labels " + rule.file + " is not there"});
    rule.file.clear();
    EXPECT_EQ(reasons(), Reasons{"its labels were only in memory"});
}

struct WrongHeader {
    std::string message; ///< empty: the header is accepted
    std::function<void(RunHeader&)> change;
};

TEST(VerifyTrace, HeadersThatNameNoRunAreRefused) {
    KeyFolder const folder;
    for (WrongHeader const& wrong : std::vector<WrongHeader>{
             {"", [](RunHeader& header) { header.gpus = std::vector<int>(1024, 0); }},
             {"run.trace: gpus: 1025 GPUs (record the run again with 1 to 1024)",
              [](RunHeader& header) { header.gpus = std::vector<int>(1025, 0); }},
             {"run.trace: gpus: 0 GPUs (record the run again with 1 to 1024)",
              [](RunHeader& header) { header.gpus.clear(); }},
             {"run.trace: parameters: 'x' is not a parameter of a multisplit (record the run "
              "again)",
              [](RunHeader& header) { header.parameters["x"] = 1; }},
             {"run.trace: parameters: 'delta' is missing (record the run again)",
              [](RunHeader& header) {
                  header.operation = Operation::sssp;
                  header.parameters["source"] = 1;
              }}}) {
        RecordedRun run = split_by_labels(folder, {1, 0, 1});
        wrong.change(run.header);
        auto const report = verify_run(run);
        EXPECT_EQ(report ? "" : report.error().message(), wrong.message);
    }
}

/// The variant of a partition lists its methods in any order.
TEST(Labels, OfMethodsAreThoseOfTheRecords) {
    std::vector<std::string> const names{"block", "fused", "reduced-bit", "warp"};
    auto const subset = [&](unsigned mask) {
        std::vector<std::string> chosen;
        for (std::size_t i = names.size(); i-- > 0;) {
            if ((mask >> i & 1U) != 0) {
                chosen.push_back(names[i]);
            }
        }
        return chosen;
    };
    for (unsigned label = 0; label < 16; ++label) {
        for (unsigned recorded = 1; recorded < 16; ++recorded) {
            RecordedRun run;
            run.header.operation = Operation::multisplit;
            run.header.algorithm = to_string(Operation::multisplit);
            for (std::string const& method : subset(label)) {
                run.header.variant += (run.header.variant.empty() ? "" : ",") + method;
            }
            for (std::string const& method : subset(recorded)) {
                run.partitions.emplace_back().method = method;
            }
            Report report;
            list_unchecked_labels(run, report);
            EXPECT_EQ(report.unchecked.empty(), label == recorded) << run.header.variant;
        }
    }
}

} // namespace
} // namespace keyswap::model::verify
