#include "tools/text/request_text.hpp"

#include "model/distributions/distribution.hpp"
#include "tools/text/number_text.hpp"

namespace keyswap::tools {

std::optional<double> resolved_parameter(std::string_view distribution,
                                         std::optional<double> given) {
    auto const known = model::find_distribution(distribution);
    if (given || !known || (*known)->parameter.name.empty()) {
        return given;
    }
    return (*known)->parameter.default_value;
}

std::string distribution_text(std::string_view distribution, std::optional<double> given) {
    auto const parameter = resolved_parameter(distribution, given);
    return std::string(distribution) + (parameter ? printed("(%g)", *parameter) : std::string());
}

std::string gpu_set_text(std::vector<std::uint32_t> const& gpus) {
    std::string text;
    for (std::size_t begin = 0; begin < gpus.size();) {
        std::size_t end = begin + 1;
        while (end < gpus.size() && gpus[end] == gpus[end - 1] + 1) {
            ++end;
        }
        bool const joined = end - begin > 2;
        end = joined ? end : begin + 1;
        text += (text.empty() ? "" : ",") + std::to_string(gpus[begin]) +
                (joined ? "-" + std::to_string(gpus[end - 1]) : "");
        begin = end;
    }
    return text.empty() ? "-" : text;
}

std::string gpu_set_name(std::vector<std::uint32_t> const& gpus) {
    return (gpus.size() == 1 ? "GPU " : "GPUs ") + gpu_set_text(gpus);
}

} // namespace keyswap::tools
