#include "tools/commands/simulate/whatif_options.hpp"
#include "tools/options/gpu_list.hpp"
#include "tools/options/simulation_options.hpp"
#include "traces/errors/try.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

namespace keyswap::tools {

namespace {

/// Maximum number of GPU sets tried per count; 8 GPUs have at most 70, 16 GPUs 12,870.
constexpr std::uint64_t sets_most = 20'000;

/// Binomial coefficient, capped at sets_most + 1.
std::uint64_t set_count(std::uint64_t gpus, std::uint64_t size) {
    std::uint64_t count = 1;
    for (std::uint64_t i = 1; i <= std::min(size, gpus - size); ++i) {
        count = count * (gpus - i + 1) / i;
        if (count > sets_most) {
            return sets_most + 1;
        }
    }
    return count;
}

Expected<std::vector<std::uint32_t>> parse_counts(std::vector<std::string> const& texts,
                                                  std::uint32_t gpus) {
    std::set<std::uint32_t> counts;
    for (std::string const& text : texts) {
        auto const range = parse_number_range(text);
        if (!range || range->first == 0 || range->last > gpus) {
            return input_error("--gpu-count",
                               "'" + text +
                                   "' is not a number of GPUs of this machine, "
                                   "which has " +
                                   std::to_string(gpus),
                               "give 1 to " + std::to_string(gpus));
        }
        for (std::uint32_t count = range->first; count <= range->last; ++count) {
            counts.insert(count);
        }
    }
    return std::vector<std::uint32_t>(counts.begin(), counts.end());
}

/// Two likely sets: GPUs 0 to count - 1, and every (gpus / count)-th GPU.
std::vector<simulator::GpuSetClass> likely_sets(std::uint32_t gpus, std::uint32_t count) {
    simulator::GpuSetClass first;
    simulator::GpuSetClass spread;
    for (std::uint32_t i = 0; i < count; ++i) {
        first.representative.push_back(i);
        spread.representative.push_back(
            static_cast<std::uint32_t>(std::uint64_t{i} * gpus / count));
    }
    return first.representative == spread.representative ? std::vector{first}
                                                         : std::vector{first, spread};
}

} // namespace

void add_gpu_set_options(CLI::App& command, WhatIfOptions& options) {
    auto* const gpus = command.add_option(
        "--gpus", options.gpu_sets, "A set of GPUs, as 0,2,4-6; repeatable (default: all)");
    command
        .add_option("--gpu-count",
                    options.gpu_counts,
                    "4: rank all sets of 4 GPUs, up to symmetry; 1-8 or 1,2,4: the best set "
                    "of each number")
        ->delimiter(',')
        ->excludes(gpus);
}

bool ranks_sets(WhatIfOptions const& options) {
    return options.gpu_counts.size() == 1 &&
           options.gpu_counts.front().find('-') == std::string::npos;
}

Expected<GpuSets> gpu_sets_of(WhatIfOptions const& options,
                              simulator::Machine const& machine,
                              simulator::KeyPlaces const& places) {
    GpuSets sweep;
    if (options.gpu_counts.empty()) {
        for (std::string const& text :
             options.gpu_sets.empty() ? std::vector<std::string>{"all"} : options.gpu_sets) {
            KEYSWAP_TRY(auto const gpus, parse_gpus(text, machine));
            sweep.sets.push_back({gpus, 1});
        }
        return sweep;
    }
    auto const gpus = static_cast<std::uint32_t>(machine.platform.gpus.size());
    KEYSWAP_TRY(auto const counts, parse_counts(options.gpu_counts, gpus));
    KEYSWAP_TRY(auto const topology, simulator::Topology::of(machine.platform));
    for (simulator::KeyPlace const place : {places.input, places.output}) {
        if (place.kind == simulator::KeyPlace::Kind::node &&
            place.node >= machine.platform.cpus.size()) {
            return input_error("--input-on and --output-on",
                               "'" + machine.platform.name + "' has no NUMA node " +
                                   std::to_string(place.node),
                               "see 'keyswap topology show'");
        }
    }
    simulator::ChunkMemories const memories{
        chunk_memories(places.input, machine.platform, topology),
        chunk_memories(places.output, machine.platform, topology)};
    for (std::uint32_t const count : counts) {
        bool const is_sampled = set_count(gpus, count) > sets_most;
        sweep.sampled = sweep.sampled || is_sampled;
        auto const sets = is_sampled ? likely_sets(gpus, count)
                                     : simulator::gpu_set_classes(topology, memories, count);
        sweep.sets.insert(sweep.sets.end(), sets.begin(), sets.end());
    }
    return sweep;
}

std::vector<simulator::WhatIfRow> best_of_each_count(std::vector<simulator::WhatIfRow> rows,
                                                     std::size_t set_count) {
    std::vector<simulator::WhatIfRow> best;
    for (std::size_t begin = 0; begin < rows.size(); begin += set_count) {
        std::size_t const first = best.size();
        bool any_ran = false;
        for (std::size_t i = begin; i < begin + set_count; ++i) {
            any_ran = any_ran || rows[i].ran();
            bool const same_count = best.size() > first &&
                                    best.back().request.gpus.size() == rows[i].request.gpus.size();
            if (!same_count) {
                best.push_back(std::move(rows[i]));
            } else if (rows[i].ran() &&
                       (!best.back().ran() || rows[i].total_ms < best.back().total_ms)) {
                best.back() = std::move(rows[i]);
            }
        }
        if (any_ran) {
            auto const tail = best.begin() + static_cast<std::ptrdiff_t>(first);
            best.erase(std::remove_if(tail,
                                      best.end(),
                                      [](simulator::WhatIfRow const& row) { return !row.ran(); }),
                       best.end());
        }
    }
    return best;
}

} // namespace keyswap::tools
