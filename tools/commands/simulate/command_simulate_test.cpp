#include "simulator/prediction/simulation.hpp"
#include "tools/testing/program_run.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace keyswap::tools {
namespace {

std::vector<std::string> simulation(std::string const& tolerance) {
    return {"simulate",
            "--platform",
            "dgx-a100",
            "--distribution",
            "normal",
            "--keys",
            "1e8",
            "--rate-tolerance",
            tolerance};
}

double last_end_ms(nlohmann::json const& json) {
    double last = 0.0;
    for (auto const& phase : json.at("phases")) {
        last = std::max(last, phase.at("end_ms").get<double>());
    }
    return last;
}

TEST(SimulateCommand, SharedRatingsChangeTheTimeByLittleAndAreSaid) {
    auto exact_arguments = simulation("0");
    exact_arguments.emplace_back("--json");
    auto shared_arguments = simulation("0.01");
    shared_arguments.emplace_back("--json");
    auto const exact = nlohmann::json::parse(run_program(exact_arguments).output);
    auto const shared = nlohmann::json::parse(run_program(shared_arguments).output);
    EXPECT_EQ(exact.at("config").at("rate_tolerance"), 0.0);
    EXPECT_EQ(shared.at("config").at("rate_tolerance"), 0.01);
    EXPECT_NE(last_end_ms(shared), last_end_ms(exact));
    EXPECT_NEAR(last_end_ms(shared) / last_end_ms(exact), 1.0, 0.02);

    EXPECT_EQ(run_program(simulation("0")).output.find("Approximate"), std::string::npos);
    EXPECT_NE(run_program(simulation("0.01")).output.find("Approximate"), std::string::npos);
}

TEST(SimulateCommand, SaysTheChanceOfAScatterThatAFewKeysDecide) {
    std::vector<std::string> arguments{"simulate",
                                       "--published",
                                       "--keys",
                                       "2e9",
                                       "--gpus",
                                       "0,1",
                                       "--distribution",
                                       "zipf-published",
                                       "--parameter",
                                       "3"};
    std::string const text = run_program(arguments).output;
    EXPECT_NE(text.find("Scatter 2 takes place with a probability of 17 %"), std::string::npos)
        << text;
    EXPECT_NE(text.find("ms are not counted"), std::string::npos);
    arguments.emplace_back("--json");
    auto const uncertain =
        nlohmann::json::parse(run_program(arguments).output)["uncertain_scatters"];
    ASSERT_EQ(uncertain.size(), 1U);
    EXPECT_EQ(uncertain[0]["counted"], false);
    EXPECT_GT(uncertain[0]["ms"], 1.0);
}

TEST(SimulateCommand, JoinsTheCopiesOfTwoGpusWhereThereAreMillions) {
    // 2^16 buckets that span all 40 GPUs: 2.6 million copies.
    for (char const* algorithm : {"rmg-paper", "rmg-rotated"}) {
        std::vector<std::string> arguments{"simulate",
                                           "--platform",
                                           "cluster:dgx-h100:5",
                                           "--algorithm",
                                           algorithm,
                                           "--keys",
                                           "2e9",
                                           "--digit-bits",
                                           "16"};
        EXPECT_NE(run_program(arguments).output.find("simulated as one"), std::string::npos);
        arguments.emplace_back("--json");
        auto const printed = nlohmann::json::parse(run_program(arguments).output);
        EXPECT_TRUE(printed.at("copies_joined"));
        double const copies = printed.at("copies");
        EXPECT_GT(copies, 2e6);
        // Copies of a GPU are sequential, with a launch each.
        double const launches_ms =
            copies / 40.0 *
            simulator::load_machine("cluster:dgx-h100:5", {})->device.peer_copy_launch_us * 1e-3;
        auto const& phases = printed.at("phases");
        auto const swap = std::ranges::find(phases, "key swap", [](auto const& phase) {
            return phase.at("phase").template get<std::string>();
        });
        ASSERT_NE(swap, phases.end());
        double const swap_ms =
            swap->at("end_ms").get<double>() - swap->at("begin_ms").get<double>();
        EXPECT_GT(swap_ms, 0.9 * launches_ms) << algorithm; // copy counts differ between GPUs
        EXPECT_LT(swap_ms, 3.0 * launches_ms) << algorithm;
    }
    auto const few = nlohmann::json::parse(run_line("simulate --keys 1e6 --json").output);
    EXPECT_FALSE(few.at("copies_joined"));
}

TEST(SimulateCommand, AnswersFirstAndOnOneScreen) {
    NarrowTerminal const terminal("80");
    for (std::vector<std::string> const& words :
         {std::vector<std::string>{"--platform", "ac922"},
          {"--platform", "dgx-a100", "--distribution", "zipf", "--type", "u64", "--values", "64"},
          {"--platform", "dgx-h100", "--distribution", "zero", "--published", "--type", "u64"},
          {"--platform", "cluster:dgx-h100:2", "--swap", "best", "--algorithm", "rmg-rotated"},
          {"--platform", "cluster:dgx-h100:2", "--algorithm", "het-merge"}}) {
        std::vector<std::string> arguments{"simulate", "--keys", "1e8"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        ProgramRun const run = run_program(arguments);
        ASSERT_EQ(run.code, ExitCode::fine) << run.errors;
        EXPECT_LE(std::ranges::count(run.output, '\n'), 25) << run.output;
        EXPECT_LE(width_of(widest_line(run.output)), 80U) << run.output;
        std::size_t before = 0;
        for (char const* part : {"\nTotal: ", "\nExpect ", "\nMemory: ", "\nphase ", "\nbusiest"}) {
            std::size_t const at = run.output.find(part);
            EXPECT_LT(before, at) << part << run.output;
            EXPECT_NE(at, std::string::npos) << part << run.output;
            before = at;
        }
    }
}

TEST(SimulateCommand, ListsAllLinksOnRequest) {
    std::vector<std::string> const arguments{"simulate", "--keys", "1e6"};
    std::string const text = run_program(arguments).output;
    auto with = arguments;
    with.emplace_back("--links");
    std::string const all = run_program(with).output;
    with.back() = "--json";
    auto const links = nlohmann::json::parse(run_program(with).output).at("links");
    EXPECT_GT(links.size(), 5U);
    auto const lines_after = [](std::string const& output, char const* title) {
        std::size_t const at = output.find(title);
        return at == std::string::npos
                   ? 0
                   : std::count(
                         output.begin() + static_cast<std::ptrdiff_t>(at), output.end(), '\n') -
                         1;
    };
    EXPECT_EQ(lines_after(text, "busiest links"), 5);
    EXPECT_EQ(lines_after(all, "link, GB/s"), std::ssize(links));
}

TEST(SimulateCommand, TakesTheAlgorithmOfSortAndKeysNearTheirGpus) {
    auto const config = [](std::vector<std::string> const& more) {
        std::vector<std::string> arguments{"simulate", "--keys", "1e6", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return nlohmann::json::parse(run_program(arguments).output).at("config");
    };
    EXPECT_EQ(config({}).at("algorithm"), "rmg-fast");
    EXPECT_EQ(config({}).at("input_on"), "local");
    EXPECT_EQ(config({"--published"}).at("algorithm"), "rmg-paper");
    EXPECT_EQ(config({"--published"}).at("input_on"), "node:0");
    EXPECT_EQ(config({"--published", "--algorithm", "p2p-merge"}).at("algorithm"), "p2p-merge");
    EXPECT_EQ(config({"--algorithm", "het-merge"}).at("input_on"), "node:0");
    EXPECT_NE(run_line("simulate --published --input-on local")
                  .errors.find("--published and --input-on: both specify where the keys are"),
              std::string::npos);
}

TEST(SimulateCommand, SaysThatASortOnOneCpuOfAClusterHasItsKeysOnOneNode) {
    std::vector<std::string> arguments{"simulate",
                                       "--keys",
                                       "1e6",
                                       "--platform",
                                       "cluster:dgx-h100:2",
                                       "--algorithm",
                                       "het-merge"};
    EXPECT_NE(run_program(arguments).output.find("all its keys start in the memory of NUMA node 0"),
              std::string::npos);
    arguments.back() = "p2p-merge";
    EXPECT_EQ(run_program(arguments).output.find("all its keys start in the memory of NUMA node 0"),
              std::string::npos);
}

TEST(SimulateCommand, RefusesAToleranceThatIsNone) {
    ProgramRun const refused = run_program(simulation("2"));
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--rate-tolerance"), std::string::npos) << refused.errors;
}

TEST(SimulateCommand, RefusesWhatASortOnTheCpuDoesNotDependOn) {
    for (auto const& [option, value] : {std::pair{"--gpus", "0-1"},
                                        std::pair{"--profile", "h100"},
                                        std::pair{"--cpu-threads", "0"},
                                        std::pair{"--cpu-threads", "1025"}}) {
        ProgramRun const run =
            run_program({"simulate", "--algorithm", "cpu-paradis", "--keys", "1e6", option, value});
        EXPECT_EQ(run.code, ExitCode::could_not_run) << option;
        EXPECT_NE(run.errors.find(option), std::string::npos) << run.errors;
    }
}

TEST(SimulateCommand, OffersTheSortsThatHaveASchedule) {
    std::string const help = run_program({"simulate", "--help"}).output;
    EXPECT_NE(help.find("het-merge"), std::string::npos);
    for (char const* const absent : {"uniform-buckets", "simd-merge", "--run-keys"}) {
        EXPECT_EQ(help.find(absent), std::string::npos) << absent;
    }
    EXPECT_NE(run_program({"plan", "--help"}).output.find("uniform-buckets"), std::string::npos);
}

TEST(SimulateCommand, ReportsWhichKeySwapItTook) {
    auto const swapped = [](std::string const& swap,
                            std::vector<std::string> const& more = {},
                            std::string const& keys = "1e6") {
        std::vector<std::string> arguments{"simulate",
                                           "--platform",
                                           "cluster:dgx-h100:2",
                                           "--algorithm",
                                           "rmg-rotated",
                                           "--keys",
                                           keys,
                                           "--swap",
                                           swap};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    };
    auto const flat = nlohmann::json::parse(swapped("flat", {"--json"}).output);
    auto const by_node = nlohmann::json::parse(swapped("by-node", {"--json"}).output);
    auto const best = nlohmann::json::parse(swapped("best", {"--json"}).output);
    EXPECT_EQ(flat.at("config").at("swap"), "flat");
    EXPECT_TRUE(flat.at("other_swap").is_null());
    EXPECT_EQ(flat.at("memory").at("staging_bytes"), 0);
    EXPECT_GT(by_node.at("memory").at("staging_bytes"), 0);
    // With so few keys, messages cost more than their bytes.
    EXPECT_EQ(best.at("config").at("swap"), "by-node");
    EXPECT_EQ(best.at("total_ms"), by_node.at("total_ms"));
    EXPECT_EQ(best.at("other_swap").at("swap"), "flat");
    EXPECT_EQ(best.at("other_swap").at("total_ms"), flat.at("total_ms"));
    // With more keys, the flat swap would be faster.
    EXPECT_GT(flat.at("memory").at("keys_most"), by_node.at("memory").at("keys_most"));
    EXPECT_EQ(best.at("memory").at("keys_most"), flat.at("memory").at("keys_most"));

    EXPECT_EQ(swapped("flat").output.find("Swap: "), std::string::npos);
    EXPECT_NE(swapped("by-node").output.find("Swap: by-node.\n"), std::string::npos);
    std::string const text = swapped("best").output;
    EXPECT_NE(text.find("Swap: by-node, the faster one; flat takes "), std::string::npos) << text;
    std::string const full = swapped("best", {}, "1e11").output;
    EXPECT_NE(full.find("Swap: flat, since by-node needs more memory than there is.\n"),
              std::string::npos)
        << full;
}

TEST(SimulateCommand, RefusesAKeySwapThatThereIsNot) {
    auto const expect = [](std::vector<std::string> arguments, std::string const& words) {
        arguments.insert(arguments.begin(), {"simulate", "--keys", "1e6"});
        ProgramRun const run = run_program(arguments);
        EXPECT_EQ(run.code, ExitCode::could_not_run);
        EXPECT_EQ(run.output, "");
        EXPECT_NE(run.errors.find(words), std::string::npos) << run.errors;
    };
    expect({"--published", "--swap", "by-node"},
           "--swap: the sort's GPUs of 'dgx-a100' are all on one node");
    expect({"--published", "--swap", "best"}, "use --swap flat, or GPUs of several nodes");
    expect({"--swap", "by-node"},
           "'rmg-fast' has no key swap by node (use --swap flat, or another");
    expect({"--swap", "nested"}, "known: flat, by-node, best");
    expect({"--swap", "best", "--platform", "cluster:dgx-h100:2", "--algorithm", "p2p-merge"},
           "use --swap flat, or another sort: rmg-rotated, rmg-paper, sample-sort");
    expect({"--swap", "best", "--device", "knf"}, "--swap excludes --device");
}

nlohmann::json on_device(std::string const& device, std::vector<std::string> const& more) {
    std::vector<std::string> arguments{"simulate", "--device", device, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ProgramRun const run = run_program(arguments);
    EXPECT_EQ(run.code, ExitCode::fine) << run.errors;
    return nlohmann::json::parse(run.output);
}

// Source: Fast Sort on CPUs, GPUs and Intel MIC, section 3.3 and table 1.
TEST(SimulateCommand, GivesTheSortsOfThePapersDevicesByTheirLaws) {
    auto const mic = on_device("knf", {"--algorithm", "split-radix", "--keys", "64Mi"});
    EXPECT_EQ(mic.at("steps"), 5.0); // 6, 6, 6, 6 and 8 bits
    EXPECT_NEAR(64.0 * 1024 * 1024 / mic.at("total_ms").get<double>() * 1e-6, 0.56, 0.005);
    EXPECT_EQ(mic.at("bound_by"), "computation");

    auto const cpu = on_device("core-i7", {"--algorithm", "buffered-radix", "--keys", "4Mi"});
    EXPECT_NEAR(cpu.at("total_ms").get<double>(), 17.2, 0.02 * 17.2);
    // Keys of more than 6 bytes are bandwidth-bound.
    auto const wide =
        on_device("core-i7", {"--algorithm", "buffered-radix", "--keys", "4Mi", "--type", "u64"});
    EXPECT_EQ(wide.at("bound_by"), "memory");
    EXPECT_NEAR(wide.at("total_ms").get<double>() / cpu.at("total_ms").get<double>(),
                2.0 * 8.0 / 6.0,
                1e-9);
    for (auto const& constant : wide.at("constants")) {
        EXPECT_NE(constant.at("origin"), "") << constant;
    }
}

TEST(SimulateCommand, RefusesASortThatADeviceHasNoCostsOf) {
    auto const expect = [](std::vector<std::string> arguments, std::string const& words) {
        arguments.insert(arguments.begin(), {"simulate", "--keys", "1e6", "--device"});
        ProgramRun const run = run_program(arguments);
        EXPECT_EQ(run.code, ExitCode::could_not_run);
        EXPECT_EQ(run.output, "");
        EXPECT_NE(run.errors.find(words), std::string::npos) << run.errors;
    };
    expect({"knf"}, "choose one that was measured on it: split-radix");
    expect({"knf", "--algorithm", "rmg-fast"},
           "is 'rmg-fast', and 'knf' has no costs of that algorithm");
    expect({"h200", "--algorithm", "split-radix"}, "'h200' has costs of partitions only");
    expect({"knf", "--platform", "ac922"}, "--platform excludes --device");
    expect({"nowhere", "--algorithm", "split-radix"}, "shipped: c1060");
}

std::vector<std::string> external_simulation(std::string const& platform) {
    return {"simulate",
            "--external",
            "--platform",
            platform,
            "--keys",
            "1e10",
            "--type",
            "u64",
            "--memory",
            "16G"};
}

TEST(SimulateCommand, AddsUpThePhasesOfASortOnFiles) {
    auto arguments = external_simulation("ac922");
    arguments.emplace_back("--json");
    auto const json = nlohmann::json::parse(run_program(arguments).output);
    double sum_s = 0.0;
    for (auto const& phase : json.at("phases")) {
        sum_s += phase.at("seconds").get<double>();
        EXPECT_FALSE(phase.at("limit").get<std::string>().empty()) << phase;
    }
    EXPECT_NEAR(json.at("total_s").get<double>(), sum_s, 1e-6);
    EXPECT_EQ(json.at("phases").at(1).at("written_bytes"), 80'000'000'000);
    auto const text = run_program(external_simulation("ac922"));
    EXPECT_NE(text.output.find("assumed: 2 NVMe disks"), std::string::npos) << text.output;
    auto nothing = external_simulation("ac922");
    nothing[5] = "0";
    auto const limits = run_program(nothing).output;
    EXPECT_NE(limits.find("file syncs"), std::string::npos) << limits;
    EXPECT_EQ(limits.find(" (0 %)"), std::string::npos) << limits;
}

TEST(SimulateCommand, SortsRangesOfFilesOnGpus) {
    auto const simulated = [](std::vector<std::string> const& more) {
        auto arguments = external_simulation("dgx-a100");
        arguments.emplace_back("--json");
        arguments.insert(arguments.end(), more.begin(), more.end());
        auto const result = run_program(arguments);
        EXPECT_EQ(result.code, ExitCode::fine) << result.errors;
        return nlohmann::json::parse(result.output);
    };
    auto const cores = simulated({"--cpu-threads", "1"});
    auto const gpus = simulated({"--cpu-threads", "1", "--gpus", "0,2"});
    EXPECT_EQ(gpus.at("gpus"), 2);
    EXPECT_LT(gpus.at("total_s").get<double>(), cores.at("total_s").get<double>());
    auto const little = simulated({"--cpu-threads", "1", "--gpus", "0,2", "--gpu-memory", "1G"});
    EXPECT_GT(little.at("ranges"), gpus.at("ranges"));
    // Each GPU has two buffers of 8 bytes per key, and the sort's own memory.
    EXPECT_LE(little.at("keys_at_once"), 2 * 1'000'000'000 / 16);
    EXPECT_GE(little.at("keys_at_once"), 2 * 1'000'000'000 / 32);
    auto alone = external_simulation("dgx-a100");
    alone.insert(alone.end(), {"--gpu-memory", "1G"});
    EXPECT_EQ(run_program(alone).code, ExitCode::could_not_run);
}

std::string const pairs_on_two_gpus =
    "--platform hgx-h200 --gpus 0,1 --keys 4e9 --type u64 --values 64";

TEST(SimulateCommand, SortsKeysThatExceedTheGpusRangeByRange) {
    auto const text = run_line("simulate " + pairs_on_two_gpus + " --gpu-memory 16G");
    ASSERT_EQ(text.code, ExitCode::fine) << text.errors;
    EXPECT_NE(text.output.find("# rmg-fast of 12 ranges: 4,000,000,000 u64 keys"),
              std::string::npos)
        << text.output;
    EXPECT_NE(text.output.find("they distribute all keys among 12 ranges"), std::string::npos)
        << text.output;
    auto const json = nlohmann::json::parse(
        run_line("simulate " + pairs_on_two_gpus + " --gpu-memory 16G --json").output);
    EXPECT_EQ(json.at("config").at("gpu_memory"), 16'000'000'000);
    EXPECT_EQ(json.at("ranges").at("count"), 12);
    EXPECT_LT(json.at("ranges").at("distributed_ms"), json.at("total_ms"));
    auto const whole = nlohmann::json::parse(
        run_line("simulate " + pairs_on_two_gpus + " --gpu-memory 140G --json").output);
    EXPECT_FALSE(whole.contains("ranges"));
    EXPECT_LT(whole.at("total_ms"), json.at("total_ms"));
}

TEST(SimulateCommand, RefusesALimitOfGpuMemoryThatHasNoUse) {
    auto const expect = [](std::string const& options, std::string const& problem) {
        auto const result = run_line("simulate " + options);
        EXPECT_EQ(result.code, ExitCode::could_not_run) << options;
        EXPECT_NE(result.errors.find(problem), std::string::npos) << options << result.errors;
        EXPECT_EQ(result.output, "");
    };
    expect("--gpu-memory 16G --published", "--published and --gpu-memory");
    expect("--gpu-memory 16G --input-on devices", "--gpu-memory: is for keys in host memory");
    expect("--gpu-memory 16G --algorithm cpu-paradis", "--gpu-memory: limits GPUs");
    expect("--gpu-memory 0", "has room for 0 records of a range");
    expect("--gpu-memory 4G --algorithm sample-sort --type u128 --keys 1e10",
           "keys of 128 bits, so that cores would");
    expect("--gpu-memory 100M --keys 5e10 --gpus 0", "GPUs distribute among at most 256");
    expect("--gpu-memory 16G --operation all-gather --bytes 1e9", "--gpu-memory");
    expect("--gpu-memory 16G --device knf --algorithm split-radix", "--gpu-memory");
    expect("--memory 16G", "--memory: applies to an external sort only");
}

TEST(SimulateCommand, PredictsSortsOfFilesOfRecords) {
    std::string const machine = "simulate --external --platform dgx-a100 --memory 2G ";
    auto const result = run_line(machine + "--keys 1e9 --record-bytes 100 --key 0:10 --json");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    auto const json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json.at("records"), "100-byte records by bytes 0 to 9");
    EXPECT_EQ(json.at("phases")[1].at("read_bytes"), 100'000'000'000);
    auto const expect = [&](std::string const& options, std::string const& problem) {
        auto const refused = run_line(options);
        EXPECT_EQ(refused.code, ExitCode::could_not_run) << options;
        EXPECT_NE(refused.errors.find(problem), std::string::npos) << options << refused.errors;
    };
    expect(machine + "--record-bytes 100", "give both");
    expect(machine + "--record-bytes 100 --key 0:2", "--key: is predicted for 4 bytes or more");
    expect(machine + "--record-bytes 100 --key 0:10 --gpus 0", "--record-bytes and --gpus");
    expect(machine + "--record-bytes 100 --key 0:10 --type u64", "excludes");
    expect("simulate --record-bytes 100 --key 0:10", "requires --external");
}

TEST(SimulateCommand, NotesKeysThatExceedADevice) {
    auto const refused = run_line("simulate --device knf --algorithm split-radix --keys 1e18");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("are more than can be predicted"), std::string::npos)
        << refused.errors;
    auto const large = run_line("simulate --device gtx280 --algorithm split-radix --keys 1e9");
    EXPECT_EQ(large.code, ExitCode::fine) << large.errors;
    EXPECT_NE(large.errors.find("at most 125,000,000 fit"), std::string::npos) << large.errors;
    auto const small = run_line("simulate --device gtx280 --algorithm split-radix --keys 1e8");
    EXPECT_EQ(small.errors, "");
}

TEST(SimulateCommand, RefusesASortOnFilesOfACluster) {
    auto const result = run_program(external_simulation("cluster:ac922:2"));
    EXPECT_EQ(result.code, ExitCode::could_not_run);
    EXPECT_NE(result.errors.find("is a cluster"), std::string::npos) << result.errors;
}

} // namespace
} // namespace keyswap::tools
