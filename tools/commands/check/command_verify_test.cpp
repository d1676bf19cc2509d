#include "tools/testing/program_run.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/format/trace_writer.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace keyswap::tools {
namespace {

class VerifyCommand : public FolderTest {
  protected:
    VerifyCommand() : right_(path("right.trace")) {
        EXPECT_EQ(
            run_line("sort --distribution uniform --keys 2000 --gpu-count 3 --record " + right_)
                .code,
            ExitCode::fine);
    }

    /// Writes the recorded run without the records selected by `leave_out`, changed by `change`.
    template <class LeaveOut, class Change>
    std::string
    changed_trace(std::string const& name, LeaveOut const& leave_out, Change const& change) {
        auto records = read_trace(right_).value();
        auto trace = TraceWriter::create(path(name)).value();
        for (TraceRecord& record : records) {
            change(record);
            if (!leave_out(record)) {
                trace.write(record);
            }
        }
        EXPECT_TRUE(trace.finish().has_value());
        return path(name);
    }

    /// The recorded run with its first copy shifted by one key.
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

    std::string right_;
};

TEST_F(VerifyCommand, ReturnsZeroForARunThatAgreesAndItsRepetition) {
    auto const outcome = run_line("verify " + right_ + " " + right_);
    EXPECT_EQ(outcome.code, ExitCode::fine) << outcome.output;
    EXPECT_NE(outcome.output.find("agrees with the model"), std::string::npos);
    EXPECT_NE(outcome.output.find("determinism"), std::string::npos);
}

TEST_F(VerifyCommand, ReadsTheColumnThatWasSorted) {
    put("sales.csv", "region,amount\nEU,3\nEU,1\nUS,2\nUS,9\nEU,2\n");
    put("sales.dat", text("sales.csv")); // the name does not show the format
    for (std::string const file :
         {"sales.csv --column amount", "sales.dat --format csv --column 2"}) {
        for (std::string const run : {"sort --gpu-count 2",
                                      "sort --gpu-count 1",
                                      "sort --gpu-count 2 --algorithm p2p-merge",
                                      "sort --gpu-count 2 --algorithm sample-sort",
                                      "sort --backend cpu",
                                      "sort --memory 16M --output @sorted.raw",
                                      "multisplit --buckets 2",
                                      "histogram --bins 2 --range 0:10"}) {
            EXPECT_EQ(
                run_line(run + " --input @" + file + " --type u32 --record @run.trace --force")
                    .code,
                ExitCode::fine)
                << run;
            auto const outcome = run_line("verify @run.trace");
            EXPECT_EQ(outcome.code, ExitCode::fine) << run << '\n' << outcome.errors;
            EXPECT_EQ(outcome.output.find("Not checked: input"), std::string::npos) << run;
        }
        EXPECT_EQ(run_line("sort --ranks 2 --input @" + file +
                           " --type u32 --record @rank-{rank}.trace --force")
                      .code,
                  ExitCode::fine);
        EXPECT_EQ(run_line("verify --ranks @rank-0.trace @rank-1.trace").code, ExitCode::fine);
    }
    put("sales.dat", "region,amount\nEU,3\nEU,1\nUS,2\nUS,9\nEU,7\n");
    EXPECT_EQ(run_line("verify @run.trace").code, ExitCode::violation);
}

TEST_F(VerifyCommand, ReturnsOneAndReportsTheFirstDifferenceWithItsPlace) {
    auto const outcome = run_line("verify " + wrong_trace());
    EXPECT_EQ(outcome.code, ExitCode::violation);
    for (char const* const part : {"First difference: wrong plan in copies", "bucket", "GPU 0"}) {
        EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
    }
}

TEST_F(VerifyCommand, PrintsJsonAndWritesJunit) {
    std::string const junit = path("results.xml");
    auto const outcome =
        run_line("verify " + wrong_trace() + " " + right_ + " --json --junit " + junit);
    EXPECT_EQ(outcome.code, ExitCode::violation);
    auto const json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("holds"), false);
    EXPECT_EQ(json.at("traces").at(0).at("differences").at(0).at("check"), "copies");
    EXPECT_EQ(json.at("traces").at(0).at("verdicts").at("wrong plan"), 1);
    // Two runs of one seed must be equal: the difference is reported as well.
    EXPECT_EQ(json.at("traces").at(1).at("verdicts").at("not deterministic"), 1);
    std::string const xml = text("results.xml");
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
    auto const outcome = run_line("verify " + trace);
    EXPECT_EQ(outcome.code, ExitCode::violation);
    EXPECT_NE(outcome.output.find("incomplete trace in histograms"), std::string::npos);
    EXPECT_NE(outcome.output.find("Not checked: histograms"), std::string::npos);
    auto const accepted = run_line("verify --accept-incomplete " + trace);
    EXPECT_EQ(accepted.code, ExitCode::fine) << accepted.output;
}

TEST_F(VerifyCommand, NeverPassesWhatItCouldNotLookAt) {
    std::string const trace = changed_trace(
        "unheard-of.trace",
        [](TraceRecord const& record) { return !std::holds_alternative<RunHeader>(record); },
        [](TraceRecord& record) {
            if (auto* const header = std::get_if<RunHeader>(&record)) {
                header->algorithm = "unheard of";
                header->input.distribution = "";
            }
        });
    auto const outcome = run_line("verify " + trace + " --accept-incomplete --all");
    EXPECT_EQ(outcome.code, ExitCode::violation) << outcome.output;
    EXPECT_NE(outcome.output.find("nothing checked"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find("verify: 1 of 1"), std::string::npos);
}

TEST_F(VerifyCommand, ShowsTextsOfAFileInOneLineEach) {
    std::string const trace = changed_trace(
        "forged.trace",
        [](TraceRecord const&) { return false; },
        [](TraceRecord& record) {
            if (auto* const header = std::get_if<RunHeader>(&record)) {
                header->device =
                    "GPU)\n  agrees.\nverify: 1 of 1 trace without a violation\n\x1b[2J";
            }
            if (auto* const copy = std::get_if<CopyRecord>(&record)) {
                copy->destination_offset += 1;
            }
        });
    auto const outcome = run_line("verify " + trace);
    EXPECT_EQ(outcome.code, ExitCode::violation);
    EXPECT_EQ(outcome.output.find("\nverify: 1 of 1"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find('\x1b'), std::string::npos);
    EXPECT_NE(outcome.output.find("GPU)\\n  agrees.\\nverify: 1 of 1"), std::string::npos);
}

TEST_F(VerifyCommand, AsksBeforeItTakesMoreThanItsLimits) {
    auto const keys = run_line("verify " + right_ + " --key-limit 1999");
    EXPECT_EQ(keys.code, ExitCode::could_not_run);
    EXPECT_NE(keys.errors.find("raise --key-limit"), std::string::npos) << keys.errors;
    auto const memory = run_line("verify " + right_ + " --memory-limit 1000");
    EXPECT_EQ(memory.code, ExitCode::could_not_run);
    EXPECT_NE(memory.errors.find("raise --memory-limit"), std::string::npos) << memory.errors;
    auto const records = run_line("verify " + right_ + " --key-limit 1 --records-only");
    EXPECT_EQ(records.code, ExitCode::fine) << records.output << records.errors;
    EXPECT_NE(records.output.find("Not checked: input (--records-only"), std::string::npos);
}

TEST_F(VerifyCommand, ReturnsTwoForWhatIsNoTrace) {
    put("no.trace", "{}\n");
    for (std::string const& name : {std::string("no.trace"), std::string("missing.trace")}) {
        auto const outcome = run_line("verify " + path(name));
        EXPECT_EQ(outcome.code, ExitCode::could_not_run);
        EXPECT_FALSE(outcome.errors.empty());
    }
}

class VerifyExchange : public FolderTest {
  protected:
    /// Table of three ranks; rank 1 received `received` bytes from rank 0.
    std::string table(std::string const& received) {
        put("exchange.csv",
            "rank,peer,sent_bytes,received_bytes\n0,1,4096,8\n0,2,16,16\n2,0,16,16\n1,0,8," +
                received + "\n");
        return path("exchange.csv");
    }
};

TEST_F(VerifyExchange, NamesThePairThatCountsDifferently) {
    auto const right = run_line("verify --exchange " + table("4096"));
    EXPECT_EQ(right.code, ExitCode::fine) << right.errors;
    EXPECT_NE(right.output.find("exchange: 3 ranks, 4 pairs, 4,136 bytes sent; no pairs"),
              std::string::npos)
        << right.output;
    auto const wrong = run_line("verify --exchange " + table("4080"));
    EXPECT_EQ(wrong.code, ExitCode::violation);
    EXPECT_NE(wrong.output.find("rank 0 to rank 1: 4,096 bytes sent, 4,080 received (16 fewer)\n"),
              std::string::npos)
        << wrong.output;
    auto const json =
        nlohmann::json::parse(run_line("verify --exchange " + table("5000") + " --json").output);
    EXPECT_EQ(json["holds"], false);
    EXPECT_EQ(json["differences"][0]["to"], 1);
    EXPECT_EQ(json["differences"][0]["received_bytes"], 5000);
}

TEST_F(VerifyExchange, NamesRanksThatSayNothing) {
    put("some.csv", "rank,peer,sent_bytes,received_bytes\n0,1,1,0\n0,30,1,0\n");
    auto const outcome = run_line("verify --exchange @some.csv");
    EXPECT_EQ(outcome.code, ExitCode::violation);
    EXPECT_NE(outcome.output.find("No row of ranks 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10, and of 20 "
                                  "more: what they sent"),
              std::string::npos)
        << outcome.output;
}

TEST_F(VerifyExchange, RefusesWhatIsNoSuchTable) {
    put("keys.csv", "k\n5\n");
    put("empty.csv", "rank,peer,sent_bytes,received_bytes\n");
    for (auto const& [file, said] : {std::pair("keys.csv", "keys.csv, row 1: has no column 'rank'"),
                                     std::pair("empty.csv", "has no row below its header"),
                                     std::pair("none.csv", "none.csv")}) {
        auto const outcome = run_line("verify --exchange " + path(file));
        EXPECT_EQ(outcome.code, ExitCode::could_not_run);
        EXPECT_NE(outcome.errors.find(said), std::string::npos) << outcome.errors;
    }
    EXPECT_EQ(run_line("verify --exchange --ranks @keys.csv").code, ExitCode::could_not_run);
}

TEST_F(VerifyCommand, TakesTheTracesOfAFolderAndBelow) {
    std::filesystem::create_directories(path("runs/below"));
    std::filesystem::rename(right_, path("runs/b.trace"));
    std::filesystem::copy_file(path("runs/b.trace"), path("runs/below/a.jsonl"));
    put("runs/README.md", "Runs.\n");
    ProgramRun const all = run_line("verify @runs");
    EXPECT_EQ(all.code, ExitCode::fine) << all.errors;
    EXPECT_NE(all.output.find("verify: 2 of 2 traces without a violation"), std::string::npos)
        << all.output;
    EXPECT_LT(all.output.find("b.trace"), all.output.find("below/a.jsonl")) << all.output;
    put("runs/below/wrong.trace.gz", "no trace\n");
    EXPECT_EQ(run_line("verify @runs").code, ExitCode::could_not_run);
    std::filesystem::create_directories(path("none"));
    put("none/README.md", "Nothing.\n");
    ProgramRun const none = run_line("verify @none");
    EXPECT_EQ(none.code, ExitCode::could_not_run);
    EXPECT_NE(none.errors.find("is a folder without traces"), std::string::npos) << none.errors;
}

/// Replaces PATH by a folder with a substitute certifier that gives the same answer for all traces.
class WithCertifier {
  public:
    WithCertifier(std::filesystem::path const& folder, std::string const& answer)
        : path_(std::getenv("PATH")) {
        std::filesystem::path const program = folder / "keyswap-certify";
        testing::put_text(program,
                          "#!/bin/sh\nfor trace; do echo \"$trace: " + answer + "\"; done\n");
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        ::setenv("PATH", folder.c_str(), 1);
    }
    WithCertifier(WithCertifier const&) = delete;
    WithCertifier& operator=(WithCertifier const&) = delete;
    ~WithCertifier() { ::setenv("PATH", path_.c_str(), 1); }

  private:
    std::string path_;
};

TEST_F(VerifyCommand, SaysWhatTheCertifierSays) {
    {
        WithCertifier const certifier(path("."), "certified");
        ProgramRun const yes = run_line("verify --certify " + right_);
        EXPECT_EQ(yes.code, ExitCode::fine) << yes.errors;
        EXPECT_NE(yes.output.find(right_ + ": certified\n"), std::string::npos) << yes.output;
    }
    {
        WithCertifier const certifier(path("."), "not certified: copies are not the plan's");
        ProgramRun const no = run_line("verify --certify " + right_);
        EXPECT_EQ(no.code, ExitCode::violation) << no.errors;
        auto const json =
            nlohmann::json::parse(run_line("verify --certify --json " + right_).output);
        EXPECT_FALSE(json.at("holds"));
        EXPECT_FALSE(json.at("certificates").at(0).at("certified"));
        EXPECT_EQ(json.at("certificates").at(0).at("reason"), "copies are not the plan's");
    }
    WithCertifier const certifier(path("."), "could not run: it is another sort's");
    ProgramRun const other = run_line("verify --certify " + right_);
    EXPECT_EQ(other.code, ExitCode::could_not_run);
    EXPECT_NE(other.errors.find("it is another sort's"), std::string::npos) << other.errors;
}

TEST_F(VerifyCommand, SaysThatThereIsNoCertifier) {
    WithCertifier const certifier(path("."), "certified");
    std::filesystem::remove(path("keyswap-certify"));
    ProgramRun const run = run_line("verify --certify " + right_);
    EXPECT_EQ(run.code, ExitCode::could_not_run);
    EXPECT_NE(run.errors.find("there is no keyswap-certify"), std::string::npos) << run.errors;
}

} // namespace
} // namespace keyswap::tools
