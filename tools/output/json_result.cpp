#include "tools/output/json_result.hpp"

#include "tools/build/build_info.hpp"
#include "tools/output/captured_output.hpp"
#include "tools/text/json.hpp"

#include <ostream>
#include <utility>

namespace keyswap::tools {

Json json_result(std::string_view command, Json config) {
    return {{"command", command}, {"version", build_version()}, {"config", std::move(config)}};
}

void print_json(Json const& json, std::ostream& out) {
    if (CapturedOutput* const captured = CapturedOutput::active()) {
        captured->document = json;
        return;
    }
    constexpr int indent = 2;
    out << json.dump(indent, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace keyswap::tools
