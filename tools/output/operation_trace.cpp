#include "tools/output/operation_trace.hpp"

#include "tools/build/build_info.hpp"
#include "tools/options/standard_input.hpp"
#include "traces/errors/try.hpp"

#include <utility>

namespace keyswap::tools {

RunHeader operation_header(Operation operation, std::string variant) {
    RunHeader header;
    header.version = 2;
    header.program = "keyswap " + std::string(build_version());
    header.commit = build_commit();
    header.algorithm = to_string(operation);
    header.variant = std::move(variant);
    header.gpus = {0};
    header.virtual_gpus = true;
    header.operation = operation;
    return header;
}

RunHeader operation_header(Operation operation,
                           std::string variant,
                           SortRequest const& request,
                           MultisetDigest const& content) {
    RunHeader header = operation_header(operation, std::move(variant));
    static_cast<SortShape&>(header) = static_cast<SortShape const&>(request.config);
    header.key_count = content.count;
    set_program_and_input(header, request, content);
    return header;
}

Expected<std::optional<TraceWriter>> open_trace(std::optional<std::string> const& path,
                                                std::optional<std::string> const& input) {
    if (!path) {
        return std::optional<TraceWriter>();
    }
    if (input && is_standard_input(*input)) {
        return input_error("--record and '-'",
                           "a trace names the file of its keys, but standard input has no name",
                           "write the keys to a file");
    }
    return TraceWriter::create(*path).map(
        [](TraceWriter writer) { return std::optional<TraceWriter>(std::move(writer)); });
}

} // namespace keyswap::tools
