/// \file A sort is added by its own files, a row of the catalogue
/// and a line in each folder's CMakeLists.txt; every command, the
/// generator of live cases and the properties then include it.

#include "model/sorts/algorithm.hpp"
#include "model/verify/verify_trace.hpp"
#include "proptests/live/live_case.hpp"
#include "proptests/live/live_reference.hpp"
#include "proptests/properties/case_generators.hpp"
#include "proptests/properties/model_check.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tools/testing/program_run.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/format/trace_writer.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <set>
#include <sstream>

namespace keyswap::proptests {
namespace {

using tools::ExitCode;
using tools::run_program;
using Json = nlohmann::json;

constexpr char const* toy = "odd-even";

class ToySort : public tools::FolderTest {
  protected:
    [[nodiscard]] static Json json_of(std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        auto const result = run_program(arguments);
        EXPECT_EQ(result.code, ExitCode::fine) << result.errors;
        return Json::parse(result.output, nullptr, false);
    }

    /// A recorded run of the toy sort on 5 GPUs with values.
    [[nodiscard]] std::string recorded() const {
        auto const result = run_line(
            std::string("sort --algorithm ") + toy +
            " --distribution zipf --keys 3000 --gpu-count 5 --values 32 --record @toy.trace");
        EXPECT_EQ(result.code, ExitCode::fine) << result.errors << result.output;
        return path("toy.trace");
    }
};

TEST_F(ToySort, IsInEveryTable) {
    EXPECT_TRUE(find_algorithm_info(toy).has_value());
    EXPECT_TRUE(model::find_algorithm(toy).has_value());
    EXPECT_TRUE(simulator::find_schedule(toy).has_value());
    for (std::string const command : {"plan", "sort", "simulate"}) {
        auto const help = run_line(command + " --help");
        EXPECT_NE(help.output.find(toy), std::string::npos) << command;
        EXPECT_NE(help.output.find("--quiet-stages"), std::string::npos) << command;
    }
}

TEST_F(ToySort, IsPlannedWithItsOwnParametersAlone) {
    Json const plan = json_of({"plan",
                               "--algorithm",
                               toy,
                               "--distribution",
                               "uniform",
                               "--keys",
                               "1000",
                               "--gpu-count",
                               "4",
                               "--quiet-stages",
                               "3"});
    EXPECT_EQ(plan["config"]["algorithm"], toy);
    EXPECT_EQ(plan["config"]["quiet_stages"], 3);
    EXPECT_FALSE(plan["config"].contains("tolerance_ppm"));
    auto const refused = run_line(std::string("plan --algorithm ") + toy +
                                  " --distribution uniform --keys 10 --tolerance-ppm 1");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--tolerance-ppm"), std::string::npos) << refused.errors;
}

TEST_F(ToySort, SortsAndItsTraceIsVerified) {
    auto const verified = run_line("verify " + recorded());
    EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
}

TEST_F(ToySort, ACopyThatIsWrongInItsTraceIsFound) {
    auto records = read_trace(recorded()).value();
    auto wrong = TraceWriter::create(path("wrong.trace")).value();
    bool changed = false;
    for (TraceRecord& record : records) {
        if (auto* const copy = std::get_if<CopyRecord>(&record); copy != nullptr && !changed) {
            copy->destination_offset += 1;
            changed = true;
        }
        wrong.write(record);
    }
    ASSERT_TRUE(changed);
    ASSERT_TRUE(wrong.finish().has_value());
    EXPECT_EQ(run_line("verify @wrong.trace").code, ExitCode::violation);
}

TEST_F(ToySort, IsSimulatedAndComparedWithOthers) {
    Json const simulated =
        json_of({"simulate", "--algorithm", toy, "--keys", "1e6", "--distribution", "normal"});
    std::set<std::string> phases;
    for (Json const& phase : simulated["phases"]) {
        phases.insert(phase["phase"].get<std::string>());
    }
    EXPECT_TRUE(phases.contains("merge"));
    // Sorts that do not support eight GPUs have a row, too, and set the exit status to 2.
    auto const swept = run_line("whatif --keys 1e6 --algorithm all --json");
    Json const answers = Json::parse(swept.output, nullptr, false);
    std::set<std::string> names;
    for (Json const& row : answers["rows"]) {
        names.insert(row.contains("algorithm") ? row["algorithm"].get<std::string>() : "");
    }
    EXPECT_TRUE(names.contains(toy)) << answers.dump();
    EXPECT_EQ(names.size(), simulator::schedule_kinds().size());
}

TEST_F(ToySort, IsReportedAsATraceAndAsASimulation) {
    Json const trace = json_of({"report", recorded()});
    EXPECT_NE(trace.dump().find(toy), std::string::npos);
    Json const simulation = json_of({"report",
                                     "--platform",
                                     "dgx-a100",
                                     "--algorithm",
                                     "odd-even,rmg-paper",
                                     "--distribution",
                                     "uniform",
                                     "--keys",
                                     "1e6"});
    EXPECT_NE(simulation.dump().find("Simulation of odd-even"), std::string::npos);
}

TEST_F(ToySort, IsDrawnByTheGeneratorOfLiveCases) {
    int drawn = 0;
    EXPECT_TRUE(rc::check("live cases of the toy sort agree with its model", [&] {
        for (int i = 0; i < 10; ++i) { // a single draw may miss one sort of many
            LiveCase const live_case = *any_live_case({400, 8, 1});
            if (live_case.algorithm == toy) {
                ++drawn;
                auto const problem = check_outcome(live_case, run_by_reference(live_case));
                RC_ASSERT(!problem.has_value());
            }
        }
    }));
    EXPECT_GT(drawn, 0);
}

TEST_F(ToySort, HoldsThePropertiesOfEverySort) {
    model::Algorithm const& algorithm = **model::find_algorithm(toy);
    EXPECT_TRUE(rc::check("the toy sort sorts anything", [&] {
        auto const problem = check_sort(algorithm, *any_sort_case(300));
        RC_ASSERT(problem == std::nullopt);
    }));
}

/// Files of the given folders that contain the toy sort's name, as paths relative to the project.
std::set<std::string> files_that_name_it() {
    std::filesystem::path const root = KEYSWAP_SOURCE_DIR;
    std::set<std::string> files;
    for (char const* const folder :
         {"traces", "model", "simulator", "kernels", "proptests", "tools"}) {
        for (auto const& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            std::string const kind = entry.path().extension().string();
            if (kind != ".cpp" && kind != ".hpp" && kind != ".cu" && kind != ".cuh" &&
                kind != ".txt" && kind != ".cmake") {
                continue;
            }
            std::stringstream text;
            text << std::ifstream(entry.path()).rdbuf();
            if (text.str().find("odd_even") != std::string::npos ||
                text.str().find("odd-even") != std::string::npos) {
                files.insert(std::filesystem::relative(entry.path(), root).string());
            }
        }
    }
    return files;
}

TEST_F(ToySort, TookNoFileButItsOwn) {
    std::set<std::string> const files = files_that_name_it();
    EXPECT_GE(files.size(), 6U);
    for (std::string const& file : files) {
        EXPECT_TRUE(file.starts_with("proptests/toy/")) << file << " names the toy sort";
        std::cout << file << '\n';
    }
}

} // namespace
} // namespace keyswap::proptests
