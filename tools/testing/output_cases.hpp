#pragma once

/// \file For tests: a small run of every command, with the options that name its outputs.

#include "tools/testing/program_run.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace keyswap::tools {

using Words = std::vector<std::string>;

/// A runnable command line, and its options that name an output.
struct OutputCase {
    std::string command; ///< "topology show"
    Words arguments;
    Words outputs;
    bool text = true; ///< prints text if no output is named
    bool json = false;
};

class CommandOutputs : public FolderTest {
  protected:
    CommandOutputs() {
        put("keys.csv", "7\n3\n7\n1\n9\n");
        put("sorted.csv", "1\n3\n7\n7\n9\n");
        put("topo.txt",
            "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
            "GPU0\t X \tNV12\t0-63\t0\n"
            "GPU1\tNV12\t X \t64-127\t1\n");
        // Lets `topology here` find a machine with GPUs.
        put("nvidia-smi",
            "#!/bin/sh\ncase \"$1\" in topo) cat \"$(dirname \"$0\")/topo.txt\";; *) echo "
            "'NVIDIA A100-SXM4-40GB';; esac\n");
        EXPECT_EQ(::chmod(path("nvidia-smi").c_str(), S_IRWXU), 0);
        char const* const programs = std::getenv("PATH");
        std::string const folder = path("");
        ::setenv("PATH", (folder + ":" + (programs == nullptr ? "" : programs)).c_str(), 1);
        put("runs.csv",
            "cuda_device_name,num_system_gpus,sorting_algorithm,num_keys,gpus,num_cpu_threads,"
            "data_type,distribution_type,distribution_parameter,chunk_size,num_thread_blocks,"
            "device_memory_in_bytes,device_memory_overhead,local_sort_memory_overhead,"
            "num_partitioning_passes_needed,sort_duration_breakdown,total_sort_duration\n" +
                measured("1000000000", "157.3,0,34.7,167.5", "359.5") +
                measured("2000000000", "314.6,0,69.5,335.0", "719.1"));
        EXPECT_EQ(run_line("sort @keys.csv --type u32 --gpu-count 2 --record @run.trace").code,
                  ExitCode::fine);
    }

    /// One small run of every command that prints or writes anything.
    [[nodiscard]] std::vector<OutputCase> cases() const {
        Words const keys{"--distribution", "uniform", "--keys", "1000"};
        auto const with = [](Words words, Words const& more) {
            words.insert(words.end(), more.begin(), more.end());
            return words;
        };
        std::string const copy = "cp {input} {output}";
        return {
            {"sort",
             with(keys, {"--values", "32"}),
             {"--output", "--output-values", "--record"},
             true,
             true},
            {"plan", keys, {}, true, true},
            {"generate", {"--keys", "1000"}, {"--output"}, true, true},
            {"check",
             {path("keys.csv"), path("sorted.csv"), "--type", "u32"},
             {"--junit"},
             true,
             true},
            {"verify", {path("run.trace")}, {"--junit"}, true, true},
            {"record",
             {"--command",
              copy,
              "--distribution",
              "zero",
              "--keys",
              "10",
              "--folder",
              path("record")},
             {"--record", "--junit"},
             true,
             true},
            {"distributions", {}, {}, true, true},
            {"algorithms", {}, {}, true, true},
            {"multisplit",
             with(keys, {"--buckets", "4"}),
             {"--output", "--starts", "--record"},
             true,
             true},
            {"histogram",
             with(keys, {"--bins", "4", "--range", "0:1000000"}),
             {"--record"},
             true,
             true},
            {"sssp", {"--graph", "grid:4"}, {"--record"}, true, true},
            {"simulate", {"--keys", "1e6"}, {"--trace"}, true, true},
            {"whatif", {"--keys", "1e6", "--gpus", "0,1"}, {"--csv"}, true, true},
            {"topology list", {}, {}, true, true},
            {"topology show", {"ac922"}, {}, true, true},
            {"topology draw", {"ac922"}, {"--dot"}, true, false},
            {"topology import", {path("topo.txt"), "--gpu", "A100"}, {"--output"}, true, false},
            {"topology here", {}, {"--output"}, true, false},
            {"topology export", {"ac922"}, {"--output"}, true, false},
            {"calibrate",
             {path("runs.csv"), "--platform", "dgx-a100", "--rounds", "1"},
             {"--output", "--output-platform"},
             true,
             false},
            {"validate", {path("runs.csv"), "--platform", "dgx-a100"}, {}, true, true},
            {"report", {path("run.trace")}, {"--output", "--matrix"}, false, true},
            {"bench-model",
             {"--streamed-keys", "0", "--replay-keys", "0", "--closed-form-keys", "1000"},
             {},
             true,
             false},
            {"bench-simulator", {"--gpu-count", "2", "--tolerance", "0"}, {}, true, true},
            {"completion", {"bash"}, {}, true, false},
            {"man", {}, {}, true, false},
        };
    }

    [[nodiscard]] static Words words_of(OutputCase const& one, Words const& more) {
        Words words;
        for (std::size_t begin = 0; begin < one.command.size();) {
            std::size_t const end = std::min(one.command.find(' ', begin), one.command.size());
            words.push_back(one.command.substr(begin, end - begin));
            begin = end + 1;
        }
        words.insert(words.end(), one.arguments.begin(), one.arguments.end());
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

  private:
    static std::string
    measured(std::string const& keys, std::string const& phases, std::string const& total) {
        return "NVIDIA A100-SXM4-40GB,8,radix-mgpu-sort," + keys +
               ",0,128,uint32,uniform,0,1,82,1,128,128,0,\"" + phases + "\"," + total + "\n";
    }
};

} // namespace keyswap::tools
