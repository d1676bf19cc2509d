#include "tools/command_line.hpp"
#include "traces/trace_reader.hpp"
#include "traces/trace_writer.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

namespace keyswap::tools {
namespace {

namespace fs = std::filesystem;

/// What a run of the program says and returns.
struct Outcome {
    ExitCode code;
    std::string output;
    std::string errors;
};

Outcome run_keyswap(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "keyswap");
    std::vector<char const*> pointers;
    for (std::string const& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    ExitCode const code = run(static_cast<int>(pointers.size()), pointers.data());
    return {
        code, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
}

std::string text_of(fs::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class VerifyCommand : public ::testing::Test {
  protected:
    VerifyCommand() {
        std::string name = (fs::temp_directory_path() / "keyswap-verify-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        right_ = (folder_ / "right.trace").string();
        EXPECT_EQ(run_keyswap({"sort",
                               "--distribution",
                               "uniform",
                               "--keys",
                               "2000",
                               "--gpus",
                               "3",
                               "--record",
                               right_})
                      .code,
                  ExitCode::fine);
    }
    ~VerifyCommand() override { fs::remove_all(folder_); }

    /// The recorded run without records for which `leave_out` holds, changed by `change`.
    template <class LeaveOut, class Change>
    std::string
    changed_trace(std::string const& name, LeaveOut const& leave_out, Change const& change) {
        auto records = read_trace(right_).value();
        auto trace = TraceWriter::create(folder_ / name).value();
        for (TraceRecord& record : records) {
            change(record);
            if (!leave_out(record)) {
                trace.write(record);
            }
        }
        EXPECT_TRUE(trace.finish().has_value());
        return (folder_ / name).string();
    }

    /// The recorded run whose first copy arrives one key late.
    std::string wrong_trace() {
        bool changed = false;
        return changed_trace(
            "wrong.trace",
            [](TraceRecord const&) { return false; },
            [&changed](TraceRecord& record) {
                if (auto* const copy = std::get_if<CopyRecord>(&record);
                    copy != nullptr && !changed) {
                    copy->destination_offset += 1;
                    changed = true;
                }
            });
    }

    fs::path folder_;
    std::string right_;
};

TEST_F(VerifyCommand, ReturnsZeroForARunThatAgreesAndItsRepetition) {
    auto const outcome = run_keyswap({"verify", right_, right_});
    EXPECT_EQ(outcome.code, ExitCode::fine) << outcome.output;
    EXPECT_NE(outcome.output.find("agrees with the model"), std::string::npos);
    EXPECT_NE(outcome.output.find("determinism"), std::string::npos);
}

TEST_F(VerifyCommand, ReturnsOneAndTellsTheFirstDifferenceWithItsPlace) {
    auto const outcome = run_keyswap({"verify", wrong_trace()});
    EXPECT_EQ(outcome.code, ExitCode::violation);
    for (char const* const part : {"First difference: wrong plan in copies", "bucket", "GPU 0"}) {
        EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
    }
}

TEST_F(VerifyCommand, PrintsJsonAndWritesJunit) {
    std::string const junit = (folder_ / "results.xml").string();
    auto const outcome = run_keyswap({"verify", wrong_trace(), right_, "--json", "--junit", junit});
    EXPECT_EQ(outcome.code, ExitCode::violation);
    auto const json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("holds"), false);
    EXPECT_EQ(json.at("traces").at(0).at("differences").at(0).at("check"), "copies");
    EXPECT_EQ(json.at("traces").at(0).at("verdicts").at("wrong plan"), 1);
    // The right run differs from the wrong one of the same seed: that is told as well.
    EXPECT_EQ(json.at("traces").at(1).at("verdicts").at("not deterministic"), 1);
    std::string const xml = text_of(junit);
    EXPECT_NE(xml.find("<testsuites name=\"keyswap verify\">"), std::string::npos);
    EXPECT_NE(xml.find("<failure message=\"wrong plan\">"), std::string::npos) << xml;
}

TEST_F(VerifyCommand, ChecksAnIncompleteTraceAsFarAsItGoes) {
    std::string const trace = changed_trace(
        "incomplete.trace",
        [](TraceRecord const& record) {
            return std::holds_alternative<HistogramRecord>(record) ||
                   std::holds_alternative<DigestRecord>(record);
        },
        [](TraceRecord&) {});
    auto const outcome = run_keyswap({"verify", trace});
    EXPECT_EQ(outcome.code, ExitCode::violation);
    EXPECT_NE(outcome.output.find("incomplete trace in histograms"), std::string::npos);
    EXPECT_NE(outcome.output.find("Not checked: histograms"), std::string::npos);
    auto const accepted = run_keyswap({"verify", "--accept-incomplete", trace});
    EXPECT_EQ(accepted.code, ExitCode::fine) << accepted.output;
}

TEST_F(VerifyCommand, ReturnsTwoForWhatIsNoTrace) {
    std::ofstream(folder_ / "no.trace") << "{}\n";
    for (std::string const& name : {std::string("no.trace"), std::string("missing.trace")}) {
        auto const outcome = run_keyswap({"verify", (folder_ / name).string()});
        EXPECT_EQ(outcome.code, ExitCode::could_not_run);
        EXPECT_FALSE(outcome.errors.empty());
    }
}

} // namespace
} // namespace keyswap::tools
