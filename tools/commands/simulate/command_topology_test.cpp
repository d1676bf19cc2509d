#include "simulator/platform/platform.hpp"
#include "tools/testing/program_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

using TopologyCommand = FolderTest;

TEST_F(TopologyCommand, ListsEveryShippedPlatform) {
    ProgramRun const outcome = run_line("topology list --json");
    EXPECT_EQ(outcome.code, ExitCode::fine);
    auto const list = nlohmann::json::parse(outcome.output)["platforms"];
    ASSERT_EQ(list.size(), simulator::shipped_platforms().size());
    for (auto const& entry : list) {
        EXPECT_GT(entry["gpus"], 0) << entry["name"];
        EXPECT_NE(run_line("topology list").output.find(entry["name"]), std::string::npos);
    }
}

TEST_F(TopologyCommand, ShowsLinksWithTheOriginOfTheirConstants) {
    ProgramRun const outcome = run_line("topology show --platform ac922 --json");
    EXPECT_EQ(outcome.code, ExitCode::fine);
    auto const shown = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(shown["links"].size(), 7U); // the X-Bus, four CPU links, two GPU links
    for (auto const& link : shown["links"]) {
        EXPECT_FALSE(link["origins"].empty()) << link["name"];
    }
    EXPECT_NE(run_line("topology show --platform ac922").output.find("xbus: cpu0 - cpu1"),
              std::string::npos);
}

TEST_F(TopologyCommand, DrawsANodeForEachPartAndAnEdgeForEachLink) {
    ProgramRun const outcome = run_line("topology draw --platform ac922");
    EXPECT_EQ(outcome.code, ExitCode::fine);
    for (std::string const word : {"graph", "cpu1", "gpu3", "xbus"}) {
        EXPECT_NE(outcome.output.find(word), std::string::npos) << word;
    }
}

TEST_F(TopologyCommand, ImportsADumpThatShowsAsAPlatform) {
    std::string const dump = put("topo.txt",
                                 "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                                 "GPU0\t X \tNV12\t0-63\t0\n"
                                 "GPU1\tNV12\t X \t64-127\t1\n");
    ProgramRun const imported =
        run_line("topology import --input " + dump + " --gpu A100 --output @box.toml");
    EXPECT_EQ(imported.code, ExitCode::fine) << imported.errors;
    ProgramRun const shown = run_line("topology show --platform @box.toml --json");
    EXPECT_EQ(shown.code, ExitCode::fine) << shown.errors;
    EXPECT_NE(shown.output.find("gpu1"), std::string::npos);
}

TEST_F(TopologyCommand, ExportsTomlThatReadsBackEqual) {
    EXPECT_EQ(
        run_line("topology export --platform dgx-a100 --format toml --output @copy.toml").code,
        ExitCode::fine);
    auto const again = simulator::load_platform(path("copy.toml"));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(simulator::platform_hash(*again),
              simulator::platform_hash(*simulator::load_platform("dgx-a100")));
}

TEST_F(TopologyCommand, ExportsSimGridsPlatformWithARouteForEachPair) {
    ProgramRun const outcome = run_line("topology export --platform dgx-a100");
    EXPECT_EQ(outcome.code, ExitCode::fine);
    std::size_t routes = 0;
    for (std::size_t at = outcome.output.find("<route "); at != std::string::npos;
         at = outcome.output.find("<route ", at + 1)) {
        ++routes;
    }
    EXPECT_EQ(routes, 90U); // from two host memories and eight GPUs to each of the nine others
}

TEST_F(TopologyCommand, NamesFileLineAndRemedyOfABadPlatform) {
    EXPECT_EQ(run_line("topology export --platform ac922 --format toml --output @good.toml").code,
              ExitCode::fine);
    std::string const good = text("good.toml");
    struct Fault {
        std::string from;
        std::string to;
        std::string words;
    };
    for (Fault const& fault :
         {Fault{"kind = \"xbus\"", "kind = \"ybus\"", "ybus"},
          Fault{"bandwidth = \"64 GB/s\"", "bandwidth = \"0 GB/s\"", "bandwidth"},
          Fault{"bandwidth = \"64 GB/s\"", "bandwidth = \"64 GB\"", "bandwidth"},
          Fault{"between = [\"cpu0\", \"cpu1\"]", "between = [\"cpu0\", \"cpu7\"]", "cpu7"}}) {
        std::string wrong = good;
        std::size_t const at = wrong.find(fault.from);
        ASSERT_NE(at, std::string::npos) << fault.from;
        wrong.replace(at, fault.from.size(), fault.to);
        std::string const file = put("bad.toml", wrong);
        ProgramRun const outcome = run_line("topology show --platform " + file);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run) << fault.to;
        EXPECT_NE(outcome.errors.find(file + ":"), std::string::npos) << outcome.errors;
        EXPECT_NE(outcome.errors.find(fault.words), std::string::npos) << outcome.errors;
        EXPECT_NE(outcome.errors.find('('), std::string::npos) << outcome.errors; // the remedy
    }
}

TEST_F(TopologyCommand, RefusesWhatIsNotThere) {
    for (std::vector<std::string> const& arguments : std::vector<std::vector<std::string>>{
             {"topology", "show", "--platform", "nowhere"},
             {"topology", "import", "--input", path("missing.txt")},
             {"topology", "draw", "--platform", "ac922", "--use", path("missing.csv")},
             {"topology", "export", "--format", "pdf"},
             {"simulate", "--gpus", "0,9"},
             {"simulate", "--algorithm", "bogosort"},
             {"validate", path("missing.csv"), "--platform", "ac922"},
             {"calibrate", path("missing.csv"), "--platform", "ac922"},
             {"whatif", "--link", "xbus"},
             {"bench-simulator", "--gpu-count", "8,x"}}) {
        ProgramRun const outcome = run_program(arguments);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run) << arguments[0] << " " << arguments.back();
        EXPECT_FALSE(outcome.errors.empty());
    }
}

} // namespace
} // namespace keyswap::tools
