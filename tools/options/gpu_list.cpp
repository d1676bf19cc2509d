#include "tools/options/gpu_list.hpp"

#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

namespace keyswap::tools {

namespace {

constexpr std::uint32_t virtual_gpus_max = 64; ///< limit of the kernels

} // namespace

std::optional<NumberRange> parse_number_range(std::string_view text) {
    std::size_t const dash = text.find('-');
    auto const first = parsed_number<std::uint32_t>(text.substr(0, dash));
    auto const last = dash == std::string_view::npos
                          ? first
                          : parsed_number<std::uint32_t>(text.substr(dash + 1));
    return first && last && *last >= *first ? std::optional(NumberRange{*first, *last})
                                            : std::nullopt;
}

Expected<std::vector<std::uint32_t>>
parse_gpu_list(std::string_view text, std::string_view option, std::uint32_t available) {
    std::vector<std::uint32_t> gpus;
    if (text == "all") {
        gpus.resize(available);
        std::iota(gpus.begin(), gpus.end(), 0U);
        return gpus;
    }
    for (std::size_t begin = 0; begin <= text.size();) {
        std::size_t const end = std::min(text.find(',', begin), text.size());
        std::string_view const piece = text.substr(begin, end - begin);
        auto const range = parse_number_range(piece);
        if (!range) {
            return input_error(std::string(option),
                               "'" + std::string(piece) +
                                   "' is neither a GPU's number nor a range of numbers",
                               "write them as 0,2,4-6, or all");
        }
        if (range->last >= available) {
            return input_error(
                std::string(option) + " " + std::string(text),
                "there is no GPU " + std::to_string(std::max(range->first, available)),
                available == 0 ? "name a machine that has GPUs"
                               : "the GPUs are 0 to " + std::to_string(available - 1));
        }
        for (std::uint32_t gpu = range->first; gpu <= range->last; ++gpu) {
            gpus.push_back(gpu);
        }
        begin = end + 1;
    }
    return gpus;
}

Expected<std::vector<int>> choose_devices(std::optional<std::string> const& gpus,
                                          std::optional<std::uint32_t> gpu_count,
                                          std::uint32_t found) {
    KEYSWAP_TRY(auto const listed, parse_gpu_list(gpus.value_or("all"), "--gpus", found));
    std::vector<int> devices(listed.begin(), listed.end());
    if (!gpu_count || *gpu_count == devices.size()) {
        return devices;
    }
    std::string const option = "--gpu-count " + std::to_string(*gpu_count);
    if (!gpus && *gpu_count >= 1 && *gpu_count < found) {
        devices.resize(*gpu_count);
        return devices;
    }
    if (!gpus && *gpu_count > found) {
        return input_error(option,
                           "this machine has " + std::to_string(found),
                           "name one of them for virtual GPUs: --gpus 0");
    }
    if (*gpu_count == 0 || (devices.size() == 1 && *gpu_count > virtual_gpus_max)) {
        return input_error(
            option, "is not from 1 to " + std::to_string(virtual_gpus_max), "give fewer GPUs");
    }
    if (devices.size() != 1) {
        return input_error("--gpus and " + option,
                           "name " + std::to_string(devices.size()) + " devices",
                           "name one device for virtual GPUs, or leave --gpu-count out");
    }
    devices.assign(*gpu_count, devices.front());
    return devices;
}

} // namespace keyswap::tools
