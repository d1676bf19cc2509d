/// \file Compares the contents of pages with recorded ones, for runs, machines and
/// studies.

#include "tools/testing/recorded_answers.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/format/trace_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace keyswap::tools {
namespace {

/// Outputs for small runs of every sort.
TEST_F(RecordedAnswers, OfEverySortAreAsTheyWere) {
    for (char const* const sort : {"rmg",
                                   "p2p-merge",
                                   "het-merge",
                                   "sample-sort",
                                   "quicksort",
                                   "uniform-buckets",
                                   "multisplit-sort",
                                   "split-radix",
                                   "buffered-radix",
                                   "network-merge",
                                   "simd-merge"}) {
        std::string const name(sort);
        bool const alone = name.find("radix") != std::string::npos ||
                           name.find("multisplit") != std::string::npos ||
                           name == "network-merge" || name == "simd-merge";
        std::string const gpus = alone ? "" : " --gpu-count 2";
        answer("plan --distribution zipf --keys 400 --algorithm " + name + gpus + " --buckets");
        answer("sort --distribution gaussian --keys 90 --values 32 --algorithm " + name + gpus +
               " --record @" + name + ".trace");
        answer("verify @" + name + ".trace --all");
        answer("simulate --keys 3e6 --platform hgx-h200 --gpus 0 --algorithm " + name);
    }
    answer("sort --distribution uniform --keys 50 --type u128 --algorithm sample-sort "
           "--gpu-count 3 --direction descending --buckets");
    answer("sort --distribution uniform --keys 50 --gpu-count 3 --algorithm p2p-merge");
    answer("plan --distribution uniform --keys 5e9 --gpu-count 4 --json");
    answer("sort @keys.csv --type u32 --gpu-count 2 --output @out.csv --json");
    file("out.csv");
    answer("sort @keys.csv --type u32 --gpu-count 2 --output @out.csv");
    answer("sort @keys.csv --type u32 --format raw --gpu-count 2");
    answer("sort @absent.csv --type u32");
    answer("sort --keys 5");
    answer("sort --distribution uniform --keys 1e30");
    expect_as_recorded("sorts");
}

/// Calibration and validation with a few measurements.
TEST_F(RecordedAnswers, OfFitsAreAsTheyWere) {
    auto const lines =
        testing::lines_of(testing::text_of(KEYSWAP_SOURCE_DIR "/traces/measurements/ac922.csv"));
    std::string some = lines[0] + "\n";
    for (std::string const& line : lines) {
        bool const two = line.find(",2000000000,\"0,1\"") != std::string::npos;
        if (two && (line.find(",uint32,uniform,") != std::string::npos ||
                    line.find(",uint32,normal,") != std::string::npos)) {
            some += line + "\n";
        }
    }
    put("runs.csv", some);
    answer("validate @runs.csv --platform ac922 --hold-out nothing");
    answer("validate @one.csv --platform ac922 --hold-out distribution");
    answer("validate @runs.csv --platform ac922 --json");
    answer("validate @runs.csv --platform ac922 --max-p95-error 1e-9 --max-phase-p95-error 1e-9");
    answer("validate @runs.csv");
    auto const rates =
        testing::lines_of(testing::text_of(KEYSWAP_SOURCE_DIR "/traces/measurements/rates.csv"));
    some.clear();
    for (std::string const& line : rates) {
        bool const shown = line.find("gtx1080") != std::string::npos ||
                           line.find("knf") != std::string::npos || some.empty() ||
                           some.back() != '\n' || line.starts_with('#') ||
                           line.starts_with("source");
        some += shown ? line + "\n" : "";
    }
    put("rates.csv", some);
    answer("validate @rates.csv --max-median-error 0.001");
    answer("validate @rates.csv --json");
    answer("calibrate @rates.csv --profile gtx1080 --output @fitted.toml");
    file("fitted.toml");
    answer("calibrate @rates.csv --profile knf");
    answer("calibrate @rates.csv");
    answer("calibrate @rates.csv --profile h200");
    answer("calibrate @runs.csv --platform ac922 --rounds 1 --output @v100.toml "
           "--output-platform @ac922.toml");
    file("v100.toml");
    file("ac922.toml");
    answer("calibrate @runs.csv");
    answer("calibrate @absent.csv --platform ac922");
    page("report @runs.csv --platform ac922 --json");
    page("report @rates.csv --json");
    expect_as_recorded("fits");
}

TEST_F(RecordedAnswers, OfWhatIfsAreAsTheyWere) {
    std::string const base = "whatif --keys 2e6 --platform ac922 --gpus 0,1 ";
    for (char const* const more : {"",
                                   "--algorithm all",
                                   "--algorithm rmg-rotated,p2p-merge --type u32,f64 --values 32",
                                   "--distribution uniform,zipf:0.75,zero",
                                   "--digit-bits 4,8 --tolerance-ppm 0,5000",
                                   "--fuse-ppm 0,1000000",
                                   "--input-on node:0,interleaved,devices",
                                   "--json",
                                   "--seed 7 --csv -"}) {
        answer(base + more);
    }
    answer("what if a link changes",
           {"whatif",
            "--keys",
            "2e6",
            "--platform",
            "ac922",
            "--gpus",
            "0,2",
            "--link",
            "xbus x2",
            "--link",
            "xbus x2 + nvlink x2",
            "--link",
            "xbus = 10 GB/s",
            "--link",
            "nolink x2"});
    answer("what if a link is added",
           {"whatif",
            "--keys",
            "2e6",
            "--platform",
            "pcie-4gpu",
            "--gpus",
            "0,3",
            "--link",
            "add nvswitch 300 GB/s",
            "--link",
            "add nothing"});
    answer("whatif --platform dgx-a100 --gpu-count 2 --keys 1e6,1e8 --csv -");
    answer("whatif --platform dgx-a100 --gpu-count 1-3 --keys 1e7");
    answer("whatif --platform dgx-a100 --gpu-count 1,4 --keys 1e7 --json");
    answer("whatif --platform dgx-a100 --gpu-count 0-2 --keys 1e7");
    answer("whatif --platform dgx-a100 --gpu-count 4-2 --keys 1e7");
    answer("whatif --platform dgx-a100 --gpu-count 9 --keys 1e7");
    answer("whatif --platform cluster:dgx-h100:2 --gpus 0,8 --swap flat,by-node,best --keys 1e6");
    answer("whatif --platform dgx-a100 --gpus 0 --gpus 0-3 --break-even --algorithm rmg-rotated");
    answer("whatif --platform dgx-a100 --gpus 0,1 --break-even");
    answer("whatif --platform ac922 --gpus 0 --gpus 0,1 --keys 1e30");
    answer("whatif --partition --device gtx1080 --buckets 2,300 --values 64 --json");
    answer("whatif --partition --device nothing");
    answer("simulate --keys 1e6 --platform ac922 --assume xbus.efficiency=0.5");
    answer("simulate --keys 1e6 --platform ac922 --assume xbus.efficiency=7");
    answer("simulate --keys 1e6 --platform ac922 --assume nothing=7");
    answer("simulate --keys 1e6 --platform ac922 --json --gpus 0-3 --input-on interleaved");
    answer("simulate --keys 1e6 --platform nowhere");
    answer("simulate --keys 1e6 --gpus 0,0");
    answer("simulate --keys 1e6 --gpus 12");
    expect_as_recorded("what-ifs");
}

/// Contents of pages for small runs, and positions of nodes in drawings of machines.
class RecordedPages : public RecordedAnswers {
  protected:
    void put_without_a_copy(std::string const& right, std::string const& wrong) const {
        auto reader = TraceReader::open(path(right)).value();
        auto writer = TraceWriter::create(path(wrong)).value();
        bool left_out = false;
        for (auto record = reader.next().value(); record; record = reader.next().value()) {
            if (std::holds_alternative<CopyRecord>(*record) && !std::exchange(left_out, true)) {
                continue;
            }
            writer.write(*record);
        }
        EXPECT_TRUE(writer.finish().has_value());
    }
};

TEST_F(RecordedPages, OfRunsMachinesAndStudiesAreAsTheyWere) {
    EXPECT_EQ(run_line("sort @keys.csv --type u32 --gpu-count 2 --record @run.trace").code,
              ExitCode::fine);
    EXPECT_EQ(run_line("multisplit @keys.csv --type u32 --buckets 2 --record @split.trace").code,
              ExitCode::fine);
    page("report @run.trace --json");
    page("report @split.trace --json");
    page("report --platform pcie-4gpu --gpus 0,3 --keys 1e5 --json");
    page("report --platform dgx-a100 --gpus 0 --keys 10 --json");
    put("nothing.csv", "0\n");
    prepare("sort --distribution uniform --keys 0 --gpu-count 2 --record @none.trace");
    prepare("sort --distribution zero --keys 20 --values 32 --gpu-count 3 --record @cut.trace");
    prepare("sort --distribution zipf --keys 900 --gpu-count 2 --digit-bits 4 --tolerance-ppm 0 "
            "--record @passes.trace");
    prepare("sort --distribution zipf --keys 300 --gpu-count 2 --algorithm sample-sort "
            "--record @samples.trace");
    prepare("sort --distribution zipf --keys 90 --gpu-count 4 --algorithm p2p-merge "
            "--record @merge.trace");
    prepare("sort --distribution zipf --keys 90 --algorithm split-radix --record @steps.trace");
    prepare("multisplit --distribution uniform --keys 90 --buckets 9 --rule hash:1 --to-owner "
            "--gpu-count 3 --record @shuffle.trace");
    prepare("histogram --distribution uniform --keys 90 --bins 4 --range 0:4294967295 "
            "--record @histogram.trace");
    prepare("sssp --graph grid:4 --record @paths.trace");
    for (char const* const trace :
         {"none", "cut", "passes", "samples", "merge", "steps", "shuffle", "histogram", "paths"}) {
        page("report @" + std::string(trace) + ".trace --json");
    }
    put_without_a_copy("passes.trace", "wrong.trace");
    page("report @wrong.trace --json");
    page("report @passes.trace @run.trace --json");
    page("report @passes.trace --platform ac922 --gpus 0,1 --json");
    page("report --distribution zipf --keys 1e6 --gpu-count 4 --json");
    page("report --platform cluster:dgx-h100:2 --gpus 0,8,9 --keys 1e6 --algorithm "
         "rmg-paper,rmg-rotated --json");
    put("sweep.json",
        run_line("whatif --keys 1e6,1e7 --platform ac922 --gpus 0 --gpus 0,1 --json").output);
    put("sweep.csv",
        run_line("whatif --keys 1e6,1e7 --platform ac922 --gpu-count 2 --csv -").output);
    put("partition.json", run_line("whatif --partition --device gtx1080 --json").output);
    page("report @sweep.json --json");
    page("report @sweep.csv --json");
    answer("report @partition.json --json");
    for (char const* const other : {"keys.csv", "absent.trace", "nothing.csv"}) {
        answer("report @" + std::string(other) + " --json");
    }
    answer("report @passes.trace --platform ac922 --gpus 0,1 --tables @tables --matrix @matrix.csv "
           "--figure buckets --out @buckets.csv --chrome-trace @chrome.json");
    file("matrix.csv");
    file("chrome.json");
    file("buckets.csv");
    answer("report @passes.trace --list-figures");
    answer("report --list-figures");
    for (char const* const folder : {"tables"}) {
        std::vector<std::string> names;
        for (auto const& entry : std::filesystem::directory_iterator(path(folder))) {
            names.push_back(std::string(folder) + "/" + entry.path().filename().string());
        }
        std::ranges::sort(names);
        for (std::string const& name : names) {
            file(name);
        }
    }
    expect_as_recorded("pages");
}

} // namespace
} // namespace keyswap::tools
