#include "simulator/prediction/memory_fit.hpp"

#include "simulator/schedules/schedule_ranges.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t keys_searched_max = 10'000'000'000'000;

/// Adds to each NUMA node its share of an array; every GPU's chunk has the same size.
void add_chunks(std::map<std::uint32_t, double>& by_node,
                Platform const& platform,
                std::span<MemoryPlace const> places,
                double bytes) {
    for (MemoryPlace const place : places) {
        if (place.kind == MemoryKind::host) {
            by_node[place.index] += bytes / static_cast<double>(places.size());
        }
        if (place.kind == MemoryKind::interleaved) {
            auto const on_machine = [&](Cpu const& cpu) { return cpu.machine == place.index; };
            auto const nodes = std::ranges::count_if(platform.cpus, on_machine);
            for (std::uint32_t node = 0; node < platform.cpus.size(); ++node) {
                if (on_machine(platform.cpus[node])) {
                    by_node[node] +=
                        bytes / static_cast<double>(places.size()) / static_cast<double>(nodes);
                }
            }
        }
    }
}

std::map<std::uint32_t, double> bytes_by_node(MemoryRequest const& question,
                                              SortMemory const& memory) {
    ScheduleInput const& input = *question.input;
    std::map<std::uint32_t, double> by_node;
    auto const array_bytes = static_cast<double>(memory.array_bytes);
    if (input.gpus.empty()) {
        by_node[input.host_node] = array_bytes * memory.host_arrays;
        return by_node;
    }
    bool const same = input.input_memories == input.output_memories;
    add_chunks(by_node, *question.platform, input.input_memories, array_bytes);
    if (!same || memory.host_arrays > 1) {
        add_chunks(by_node, *question.platform, input.output_memories, array_bytes);
    }
    return by_node;
}

model::SortConfig config_of(MemoryRequest const& question, std::uint64_t key_count) {
    model::SortConfig config = question.input->config;
    config.key_count = key_count;
    return config;
}

SortMemory memory_of(MemoryRequest const& question, model::SortConfig const& config) {
    if (question.range_keys) {
        return range_sort_memory(*question.kind, config, *question.range_keys);
    }
    AlgorithmInfo const& algorithm = *question.kind->choice().algorithm;
    SortMemory memory = question.kind->memory(algorithm, config);
    if (question.input->swap == SwapOrder::by_node) {
        memory.staging_bytes = node_staging_bytes(algorithm, config);
    }
    return memory;
}

std::vector<MemoryUse> uses_of(MemoryRequest const& question, SortMemory const& memory) {
    std::vector<MemoryUse> uses;
    if (!question.input->gpus.empty()) {
        uses.push_back({"each GPU", memory.device_bytes(), device_bytes_free(question)});
    }
    for (auto const& [node, bytes] : bytes_by_node(question, memory)) {
        constexpr double most = 1.8e19;
        Cpu const& cpu = question.platform->cpus[node];
        uses.push_back(
            {cpu.name, static_cast<std::uint64_t>(std::min(bytes, most)), cpu.memory_bytes});
    }
    return uses;
}

bool keys_fit(MemoryRequest const& question, std::uint64_t key_count) {
    if (question.range_keys && key_count > range_sort_keys_max(*question.range_keys)) {
        return false;
    }
    SortMemory const memory = memory_of(question, config_of(question, key_count));
    return std::ranges::all_of(uses_of(question, memory), &MemoryUse::fits);
}

std::uint64_t most_keys(MemoryRequest const& question) {
    std::uint64_t fits = 0;
    std::uint64_t too_many = keys_searched_max + 1;
    while (too_many - fits > 1) {
        std::uint64_t const middle = fits + (too_many - fits) / 2;
        (keys_fit(question, middle) ? fits : too_many) = middle;
    }
    return fits;
}

/// Fewest GPUs of this size that hold the sort; nullopt if the algorithm supports no such number.
std::optional<std::uint32_t> enough_gpus(MemoryRequest const& question, std::uint64_t free_bytes) {
    AlgorithmInfo const& algorithm = *question.kind->choice().algorithm;
    model::SortConfig config = question.input->config;
    for (std::uint32_t gpus = config.gpu_count + 1; gpus <= model::gpu_count_max; ++gpus) {
        config.gpu_count = gpus;
        if (takes_gpus(algorithm.gpus, gpus) &&
            memory_of(question, config).device_bytes() <= free_bytes) {
            return gpus;
        }
    }
    return std::nullopt;
}

/// Formats as "1,289 GB" or "25.4 GB".
std::string gigabytes(std::uint64_t bytes) {
    constexpr std::uint64_t gigabyte = 1'000'000'000;
    if (bytes >= 1000 * gigabyte) {
        return grouped_count(bytes / gigabyte) + " GB";
    }
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.1f GB", static_cast<double>(bytes) * 1e-9);
    return text.data();
}

/// Three digits, rounded down, in the form that --keys accepts: "3.34e10".
std::string round_count(std::uint64_t count) {
    if (count < 1000) {
        return std::to_string(count);
    }
    int const exponent = static_cast<int>(std::floor(std::log10(static_cast<double>(count))));
    double const unit = std::pow(10.0, exponent - 2);
    std::array<char, 32> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%.2fe%d",
                  std::floor(static_cast<double>(count) / unit) / 100.0,
                  exponent);
    return text.data();
}

} // namespace

bool MemoryFit::fits() const {
    return std::ranges::all_of(uses, &MemoryUse::fits);
}

std::uint64_t device_bytes_free(MemoryRequest const& question) {
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t const gpu : question.input->gpus) {
        smallest = std::min(smallest, device_of(*question.platform, gpu).memory_bytes);
    }
    return smallest - std::min(smallest, device_reserve_bytes);
}

MemoryFit memory_fit(MemoryRequest const& question) {
    MemoryFit fit;
    fit.sort = memory_of(question, question.input->config);
    fit.uses = uses_of(question, fit.sort);
    fit.keys_most = most_keys(question);
    return fit;
}

InputError out_of_memory_error(MemoryRequest const& question, MemoryFit const& fit) {
    auto const full = std::ranges::find_if_not(fit.uses, &MemoryUse::fits);
    KEYSWAP_EXPECTS(full != fit.uses.end());
    ScheduleInput const& input = *question.input;
    bool const on_device = !input.gpus.empty() && full == fit.uses.begin();
    std::string const where = on_device
                                  ? "each of " + std::to_string(input.gpus.size()) + " GPUs (" +
                                        question.platform->gpus[input.gpus.front()].device + ")"
                                  : full->name;
    std::string remedy = "at most " + round_count(fit.keys_most) + " keys fit";
    auto const host = std::ranges::find_if_not(full + 1, fit.uses.end(), &MemoryUse::fits);
    if (on_device && host != fit.uses.end()) {
        remedy += "; " + host->name + ", which has " + gigabytes(host->free_bytes) +
                  ", is too small as well";
    } else if (on_device) {
        auto const gpus = enough_gpus(question, full->free_bytes);
        remedy += gpus ? "; " + std::to_string(*gpus) + " such GPUs would be enough"
                       : "; no number of such GPUs, up to " + grouped_count(model::gpu_count_max) +
                             ", is enough for this algorithm";
    } else {
        remedy +=
            "; " + setting("input-on") + " and " + setting("output-on") + " put keys elsewhere";
    }
    return InputError{"memory",
                      grouped_count(input.config.key_count) + " keys need " +
                          gigabytes(full->used_bytes) + " of " + where + ", which has " +
                          gigabytes(full->free_bytes),
                      remedy};
}

} // namespace keyswap::simulator
