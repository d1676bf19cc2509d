/// \file Failing ranks in each phase of `keyswap sort --ranks`, with threads and processes: all
/// ranks end in time and name the failed one, the input is unchanged, and no partial output is
/// left. The suite RankFaults also runs on processes (rank_team.hpp).

#include "proptests/ranks/faulty_end.hpp"
#include "proptests/ranks/rank_team.hpp"
#include "tools/ranks/rank_run.hpp"
#include "tools/testing/mpirun.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace keyswap::proptests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr std::uint32_t rank_count = 3;
constexpr std::uint32_t faulty = 1;
/// Patience of the waiting ranks, and duration of the hang.
constexpr milliseconds short_patience(1000);
constexpr milliseconds hanging(1300);
constexpr milliseconds slow(30);
/// Patience if ranks detect the fault without a timeout.
constexpr milliseconds long_patience(60'000);

milliseconds delay_of(RankFault fault) {
    return fault == RankFault::is_slow ? slow : hanging;
}

struct FaultCase {
    RankFault fault = RankFault::ends;
    std::string step;
    std::string folder;
    bool other_options = false; ///< gives the faulty rank different options
};

std::string to_text(FaultCase const& fault_case) {
    return Json{{"fault", fault_case.fault},
                {"step", fault_case.step},
                {"folder", fault_case.folder},
                {"other_options", fault_case.other_options}}
        .dump();
}

FaultCase parse_case(std::string const& text) {
    Json const json = Json::parse(text);
    return {json.at("fault"), json.at("step"), json.at("folder"), json.at("other_options")};
}

struct RankSort {
    tools::SortRequest request;
    tools::SortFiles files;
};

/// A rank's sort; ranks have separate input and trace files.
RankSort sort_of(FaultCase const& fault_case, bool is_faulty) {
    fs::path const folder = fault_case.folder;
    tools::SortArguments options;
    options.input = folder / "in-{rank}.raw";
    options.type = "u32";
    options.values = "32";
    auto request = tools::resolve(options);
    if (!request) {
        throw std::runtime_error(request.error().message());
    }
    request->config.digit_bits -= is_faulty && fault_case.other_options ? 1 : 0;
    return {std::move(*request),
            {folder / "out.csv", std::nullopt, folder / "values.raw", folder / "run-{rank}.trace"}};
}

FaultyEndpoint faulty_end(model::Communicator& ranks, RankKind kind, FaultCase const& fault_case) {
    return {ranks, kind, fault_case.fault, fault_case.step, delay_of(fault_case.fault)};
}

void ignore_progress(tools::SortRequest const&, tools::RankAccount const&) {}

/// Runs one rank's part of a sort with a fault. \return its error; "" if it sorted
std::string sort_with_fault(model::Communicator& ranks, std::string const& text) {
    FaultCase const fault_case = parse_case(text);
    bool const is_faulty = ranks.rank() == faulty;
    auto const [request, files] = sort_of(fault_case, is_faulty);
    auto end = faulty_end(
        ranks, team().is_of_processes() ? RankKind::process : RankKind::thread, fault_case);
    auto const work = tools::rank_work(request, files, ignore_progress);
    auto const ended = is_faulty ? tools::run_rank(end, work) : tools::run_rank(ranks, work);
    if (is_faulty && !end.reached_step()) {
        return "the faulty rank never came to '" + fault_case.step + '\'';
    }
    if (!ended.result) {
        return ended.result.error().message();
    }
    return *ended.result == tools::ExitCode::fine ? "" : "the check failed";
}

/// Runs one process under mpirun, like `keyswap sort --ranks mpi`.
int run_process(std::string const& text) {
    FaultCase const fault_case = parse_case(text);
    auto const ranks = tools::join_mpi_ranks(std::chrono::seconds(20));
    if (!ranks) {
        return 2;
    }
    model::Communicator& world = (*ranks)->world();
    bool const is_faulty = world.rank() == faulty;
    auto const [request, files] = sort_of(fault_case, is_faulty);
    auto end = faulty_end(world, RankKind::process, fault_case);
    auto const work = tools::rank_work(request, files, ignore_progress);
    return static_cast<int>(is_faulty ? tools::run_process(**ranks, end, work)
                                      : tools::run_process(**ranks, world, work));
}

class RankFaultTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::uint32_t key = 1;
        for (std::uint32_t rank = 0; rank < rank_count; ++rank) {
            auto& text = inputs_.emplace_back(4 * shares[rank], '\0');
            for (char& byte : text) {
                byte = static_cast<char>((key = key * 1103515245U + 12345U) >> 16U);
            }
            testing::put_text(input(rank), text);
        }
    }

    std::vector<std::string> run(RankFault fault, std::string const& step, bool other_options) {
        return team().run(rank_count,
                          to_text({fault, step, folder_.path(), other_options}),
                          fault == RankFault::hangs ? short_patience : long_patience);
    }

    /// \param said [rank] error of the rank
    void expect_ended_well(std::vector<std::string> const& said) {
        std::string const culprit = "rank " + std::to_string(faulty);
        for (std::uint32_t rank = 0; rank < rank_count; ++rank) {
            EXPECT_NE(said[rank], "") << "rank " << rank << " noticed nothing";
            // The failed rank describes its own error instead.
            EXPECT_TRUE(rank == faulty || said[rank].find(culprit) != std::string::npos ||
                        said[rank].find("cannot be written") != std::string::npos)
                << "rank " << rank << " says: " << said[rank];
        }
        for (std::string const& name : folder_.files()) {
            if (name.starts_with("run-")) {
                EXPECT_TRUE(read_trace(folder_ / name)) << "half a trace: " << name;
            } else if (!name.starts_with("in-")) {
                // Once all ranks have written, rank 0 renames the file, whatever happens later.
                EXPECT_EQ(name == "out.csv" ? lines_of(name) : 0, key_count) << name << " was left";
            }
        }
        expect_intact_input();
    }

    void expect_intact_input() {
        for (std::uint32_t rank = 0; rank < rank_count; ++rank) {
            EXPECT_EQ(testing::text_of(input(rank)), inputs_[rank]);
        }
    }

    std::int64_t lines_of(std::string const& name) const {
        return std::ranges::count(testing::text_of(folder_ / name), '\n');
    }

    static constexpr std::array<std::size_t, rank_count> shares{700, 3000, 1300};
    static constexpr std::int64_t key_count = 5000;
    testing::TemporaryFolder folder_;

  private:
    fs::path input(std::uint32_t rank) const {
        return folder_ / ("in-" + std::to_string(rank) + ".raw");
    }
    std::vector<std::string> inputs_;
};

class RankFaults : public RankFaultTest,
                   public ::testing::WithParamInterface<std::tuple<RankFault, std::string>> {};

TEST_P(RankFaults, EndAllRanksWell) {
    auto const& [fault, step] = GetParam();
    expect_ended_well(run(fault, step, false));
}

/// The phases of a rank's run, each given by the step that ends it.
auto const phases = ::testing::Values("start",
                                      "reading the input's size",
                                      "reading the input",
                                      "balancing keys",
                                      "content",
                                      "histograms of pass 1",
                                      "agreement on the plan",
                                      "partitioning",
                                      "key swap",
                                      "swap of values",
                                      "check",
                                      "writing the traces",
                                      "writing the output",
                                      "naming the output");

std::string fault_name(::testing::TestParamInfo<RankFaults::ParamType> const& info) {
    auto const& [fault, step] = info.param;
    std::string name = rank_fault_names[static_cast<std::size_t>(fault)] + ("_at_" + step);
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(AtEveryPhase,
                         RankFaults,
                         ::testing::Combine(::testing::Values(RankFault::ends,
                                                              RankFault::hangs,
                                                              RankFault::cuts_message,
                                                              RankFault::adds_to_message),
                                            phases),
                         fault_name);
INSTANTIATE_TEST_SUITE_P(AtTheStart,
                         RankFaults,
                         ::testing::Values(std::tuple(RankFault::other_version, "start")),
                         fault_name);
// A full disk affects what is written next: traces, keys, values.
INSTANTIATE_TEST_SUITE_P(BeforeFilesAreWritten,
                         RankFaults,
                         ::testing::Combine(::testing::Values(RankFault::fills_disk),
                                            ::testing::Values("check", "opening the output")),
                         fault_name);

using RankFaultsDuringARun = RankFaultTest;

TEST_F(RankFaultsDuringARun, ThatAreSlowSortAllTheSame) {
    for (std::string const step :
         {"start", "histograms of pass 1", "key swap", "naming the output"}) {
        EXPECT_EQ(run(RankFault::is_slow, step, false), std::vector<std::string>(rank_count))
            << step;
        EXPECT_EQ(lines_of("out.csv"), key_count);
        expect_intact_input();
    }
}

TEST_F(RankFaultsDuringARun, ThatWereStartedWithOtherOptionsSaySo) {
    auto const said = run(RankFault::is_slow, "start", true);
    expect_ended_well(said);
    EXPECT_NE(said[0].find("rank 1: started as 'keyswap "), std::string::npos) << said[0];
}

class KilledRank : public RankFaultTest {
  protected:
    void SetUp() override {
        tools::skip_without_mpirun();
        RankFaultTest::SetUp();
    }
};

TEST_F(KilledRank, EndsAllProcessesWell) {
    std::string const program = fs::read_symlink("/proc/self/exe");
    for (std::string const step : {"reading the input", "key swap", "writing the output"}) {
        std::string const job = to_text({RankFault::is_killed, step, folder_.path(), false});
        auto const [status, said] =
            tools::run_shell(tools::mpirun + "-n 3 " + program + " --process '" + job + "'");
        EXPECT_NE(status, 0);
        // mpirun names the killed rank; the other ranks name their step.
        expect_ended_well({said, said, said});
        EXPECT_NE(said.find("rank 1 with PID"), std::string::npos) << said;
        for (std::string const rank : {"0", "2"}) {
            EXPECT_NE(said.find("rank " + rank + ": was asked to stop (at '" + step + "')"),
                      std::string::npos)
                << said;
        }
    }
}

} // namespace

} // namespace keyswap::proptests

int main(int argc, char** argv) {
    using namespace keyswap::proptests;
    if (argc == 3 && argv[1] == std::string_view("--process")) {
        return run_process(argv[2]);
    }
    return run_rank_tests(argc, argv, sort_with_fault);
}
