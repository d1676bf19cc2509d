#include "kernels/sorts/run_header.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace keyswap::kernels {

namespace {

/// The driver's version according to its kernel module, else the CUDA version that it supports.
std::string driver_version() {
    std::ifstream file{"/proc/driver/nvidia/version"};
    std::string line;
    std::getline(file, line);
    std::istringstream words{line};
    for (std::string word; words >> word;) {
        bool const is_version = std::count(word.begin(), word.end(), '.') >= 1 &&
                                word.find_first_not_of("0123456789.") == std::string::npos;
        if (is_version) {
            return word;
        }
    }
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0) {
        return {};
    }
    return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// 1 if the trace has a single swap layout by buckets, no stages and no parameters without a field.
int trace_version(AlgorithmChoice const& choice) {
    std::set<std::string_view> fields;
    SortParameters const parameters;
    visit_parameter_fields(parameters,
                           [&fields](std::string_view name, auto) { fields.insert(name); });
    bool const has_others =
        std::ranges::any_of(choice.algorithm->parameters, [&fields](ParameterInfo const& each) {
            return !fields.contains(each.name);
        });
    std::optional<SwapLayout> const layout = choice.variant->layout;
    return layout && *layout != SwapLayout::by_round && !has_others ? 1 : 2;
}

} // namespace

RunHeader run_header(SorterState const& state, std::uint64_t key_count) {
    SortOptions const& options = state.options;
    RunHeader header;
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, options.devices.front()) == cudaSuccess) {
        header.device = properties.name;
    }
    header.driver = driver_version();
    header.algorithm = options.choice.algorithm->name;
    header.variant = options.choice.variant->name;
    header.version = trace_version(options.choice);
    header.key_count = key_count;
    header.gpus = state.ranks == nullptr ? options.devices : state.rank_devices;
    bool const is_repeated =
        std::set<int>{header.gpus.begin(), header.gpus.end()}.size() < header.gpus.size();
    header.virtual_gpus =
        is_repeated && (state.ranks == nullptr || !state.ranks->has_distinct_gpus());
    static_cast<SortShape&>(header) = options;
    static_cast<SortParameters&>(header) = options;
    return header;
}

} // namespace keyswap::kernels
