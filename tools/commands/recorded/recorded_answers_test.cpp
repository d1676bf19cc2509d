/// \file Compares outputs of commands with recorded ones: tables, sentences and pages of small
/// runs. A difference need not be an error; other tests check correctness.

#include "tools/testing/recorded_answers.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

TEST_F(RecordedAnswers, OfListsAreAsTheyWere) {
    for (char const* const line :
         {"distributions", "algorithms", "topology list", "completion bash"}) {
        answer(line);
    }
    expect_as_recorded("lists");
}

TEST_F(RecordedAnswers, OfMachinesAreAsTheyWere) {
    put("topo.txt",
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n"
        "GPU0\t X \tNV12\tPXB\t0-63\t0\n"
        "GPU1\tNV12\t X \tSYS\t64-127\t1\n"
        "NIC0\tPXB\tSYS\t X \t\t\n");
    put("pcie.txt",
        "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n"
        "GPU0\t X \tPIX\tPHB\tSYS\t0-15\t0\n"
        "GPU1\tPIX\t X \tPHB\tSYS\t0-15\t0\n"
        "GPU2\tPHB\tPHB\t X \tSYS\t0-15\t0\n"
        "GPU3\tSYS\tSYS\tSYS\t X \t16-31\t1\n");
    put("switch.txt",
        "\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\n"
        "GPU0\t X \tNV18\tNV18\t0-63\t0\n"
        "GPU1\tNV18\t X \tNV18\t0-63\t0\n"
        "GPU2\tNV18\tNV18\t X \t64-127\t1\n");
    for (std::string const platform : {"ac922", "pcie-4gpu"}) {
        answer("topology show " + platform);
        answer("topology draw " + platform + " --dot -");
    }
    answer("topology draw ac922 --use 0,2 --dot -");
    answer("topology export ac922 --format simgrid");
    answer("topology export pcie-4gpu --format toml");
    answer("topology import @topo.txt --gpu A100 --name two");
    answer("topology import @pcie.txt --gpu V100");
    answer("topology import @switch.txt --gpu H100");
    answer("topology import @keys.csv --gpu H100");
    answer("topology show nowhere");
    expect_as_recorded("machines");
}

TEST_F(RecordedAnswers, OfPlansAreAsTheyWere) {
    answer("plan @keys.csv --type u32 --gpu-count 2 --buckets");
    answer("plan --distribution zipf --keys 3000 --gpu-count 3 --tolerance-ppm 0");
    answer("plan --distribution uniform --keys 2e12 --gpu-count 72");
    answer("plan --distribution gaussian --keys 500 --gpu-count 4 --algorithm p2p-merge");
    answer("plan --distribution gaussian --keys 500 --gpu-count 3 --algorithm sample-sort");
    answer("plan --distribution uniform --keys 300 --algorithm multisplit-sort");
    answer("sort --distribution zipf --keys 500 --gpu-count 3 --type f32 --values 32 --buckets");
    answer("sort @keys.csv --type i64 --direction descending --gpu-count 2");
    answer("sort @keys.csv --gpu-count 2");
    expect_as_recorded("plans");
}

TEST_F(RecordedAnswers, OfOperationsAreAsTheyWere) {
    for (char const* const rule : {"delta", "hash:1", "digit:0:4", "splitters:2,7", "prime"}) {
        answer("multisplit @keys.csv --type u32 --buckets 3 --method all --rule " +
               std::string(rule));
    }
    answer("multisplit --distribution uniform --keys 1000 --buckets 40 --rule delta --to-owner "
           "--gpu-count 3");
    answer("histogram @keys.csv --type u32 --bins 3 --range 0:9");
    answer("histogram @keys.csv --type u32 --edges 2,5,8");
    for (char const* const method : {"multisplit", "bucketing", "near-far"}) {
        answer("sssp --graph grid:5 --all --method " + std::string(method));
        answer("sssp --graph rmat:7:4 --device gtx1080 --method " + std::string(method));
    }
    expect_as_recorded("operations");
}

TEST_F(RecordedAnswers, OfChecksAreAsTheyWere) {
    for (char const* const output : {"sorted", "unsorted", "lost", "keys", "absent"}) {
        answer("check @keys.csv @" + std::string(output) + ".csv --type u32 --gpu-count 2");
    }
    answer("check @keys.csv @sorted.csv --type u32 --direction descending");
    answer(
        "check @keys.csv @sorted.csv --type u32 --operation multisplit --rule delta --buckets 2");
    answer("check @keys.csv @unsorted.csv --type u32 --operation multisplit --rule hash:1 "
           "--buckets 2");
    for (char const* const sort : {"rmg-fast", "p2p-merge", "sample-sort"}) {
        std::string const trace = "@" + std::string(sort) + ".trace";
        auto const name = trace.substr(1);
        EXPECT_EQ(run_line("sort --distribution zipf --keys 300 --gpu-count 2 --algorithm " +
                           std::string(sort).substr(0, std::string(sort).find("-fast")) +
                           " --record " + path(name))
                      .code,
                  ExitCode::fine);
        answer("verify " + trace);
        answer("verify --records-only " + trace);
    }
    expect_as_recorded("checks");
}

TEST_F(RecordedAnswers, OfPredictionsAreAsTheyWere) {
    answer("simulate --keys 1e6 --platform ac922 --gpus 0,1");
    answer("simulate --keys 1e6 --platform cluster:dgx-h100:2 --gpus 0,8 --swap best");
    answer("simulate --keys 1e6 --platform cluster:dgx-h100:2 --gpus 0,8 --swap best --published");
    answer("simulate --keys 1e6 --algorithm cpu-paradis --platform dgx-a100");
    answer("simulate --keys 64Mi --device knf --algorithm split-radix");
    answer("simulate --keys 1e13");
    answer("simulate --keys 1e4 --platform pcie-4gpu --gpus 0 --trace -");
    answer("simulate --keys 1e4 --platform ac922 --gpus 0,1 --algorithm rmg-fast --trace -");
    answer("bench-model --passes-only --measurements traces/measurements",
           {"bench-model",
            "--passes-only",
            "--measurements",
            KEYSWAP_SOURCE_DIR "/traces/measurements"});
    answer("whatif --platform ac922 --gpu-count 2 --keys 1e6");
    answer("whatif --platform dgx-a100 --gpus 0 --gpus 0-1 --break-even");
    answer("whatif --platform dgx-a100,pcie-4gpu --gpus 0,1 --keys 1e6,1e7 --input-on "
           "node:0,devices --csv -");
    answer("whatif --partition --device k40c,h200 --buckets 2,32,256 --values 32");
    answer("whatif --partition --device gtx1080 --buckets 8 --rule splitters --csv -");
    expect_as_recorded("predictions");
}

TEST_F(RecordedAnswers, OfStudiesAreAsTheyWere) {
    auto const lines =
        testing::lines_of(testing::text_of(KEYSWAP_SOURCE_DIR "/traces/measurements/ac922.csv"));
    std::string some;
    for (std::size_t i = 0; i < lines.size(); i += i < 2 ? 1 : 20) {
        some += lines[i] + "\n";
    }
    put("runs.csv", some);
    auto const rates =
        testing::lines_of(testing::text_of(KEYSWAP_SOURCE_DIR "/traces/measurements/rates.csv"));
    some.clear();
    for (std::size_t i = 0; i < rates.size(); i += rates[i].starts_with('#') || i < 30 ? 1 : 25) {
        some += rates[i] + "\n";
    }
    put("rates.csv", some);
    answer("validate @runs.csv --platform ac922 --max-median-error 0.05");
    answer("validate @runs.csv --platform ac922 --max-worst-error 0.0001");
    answer("validate @runs.csv --platform ac922 --min-keys 1e12");
    answer("validate @rates.csv");
    std::string pairs = lines[0] + "\n";
    for (std::string const& line : lines) {
        if (line.find(",2000000000,\"0,1\"") != std::string::npos &&
            line.find(",uint32,uniform,") != std::string::npos) {
            pairs += line + "\n";
        }
    }
    put("pairs.csv", pairs);
    answer("calibrate @pairs.csv --platform ac922 --rounds 1 --no-links --hold-out 3");
    put("exchange.txt",
        "# Collective test starting: alltoall_perf\n"
        "#  Rank  0 Group  0 Pid 7 on host device  0 [0x1b] NVIDIA H100 80GB HBM3\n"
        "#  Rank  1 Group  0 Pid 7 on host device  1 [0x43] NVIDIA H100 80GB HBM3\n"
        "#   size    count    type  redop   root   time  algbw  busbw #wrong   time  algbw  busbw "
        "#wrong\n"
        " 1048576   131072   float   none     -1   31.2   33.6   16.8      0   30.1   34.8   17.4  "
        "  N/A\n"
        "67108864  8388608   float   none     -1  320.0  209.7  104.9      0  330.0  203.4  101.7  "
        "  N/A\n");
    answer("validate @exchange.txt --platform dgx-h100 --max-worst-error 1e-9");
    answer("validate @exchange.txt --platform dgx-h100 --json");
    answer("calibrate @sorted.csv --platform ac922");
    expect_as_recorded("studies");
}

TEST_F(RecordedAnswers, OfSortsOnFilesAreAsTheyWere) {
    answer("plan --external --distribution zipf --keys 3e6 --memory 16M");
    answer("plan --external --distribution zipf --keys 3e5 --memory 16M --json");
    answer(
        "simulate --external --platform dgx-a100 --keys 1e10 --type u64 --memory 16G --gpus 0,2");
    for (char const* const shown : {"", " --costs", " --json"}) {
        answer(
            "whatif --external --platform dgx-h100,ac922 --keys 1e9 --memory 4G,64G --disks 1,4" +
            std::string(shown));
    }
    prepare("generate --distribution zipf --keys 3e5 --output @keys.u32 --output-format raw");
    answer("sort @keys.u32 --type u32 --memory 16M --threads 1 --output @sorted.u32 "
           "--record @sort.trace");
    answer("verify @sort.trace");
    page("report @sort.trace --json");
    expect_as_recorded("files");
}

} // namespace
} // namespace keyswap::tools
