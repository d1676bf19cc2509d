#include "model/output_check.hpp"
#include "tools/command.hpp"
#include "tools/progress.hpp"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

/// As the user gave them.
struct CheckOptions {
    std::string input;
    std::string output;
    std::optional<std::string> type;
    std::string direction = "ascending";
    std::string format = "auto";
    std::optional<std::uint32_t> gpus;
    std::string zero_order = "total";
    unsigned threads = 0;
    bool json = false;
};

Json fingerprint_json(model::Fingerprint const& fingerprint) {
    return {{"count", fingerprint.count}, {"sum", fingerprint.sum}, {"hash", fingerprint.hash}};
}

Json optional_json(auto const& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json content_json(std::optional<model::ContentFinding> const& finding) {
    if (!finding) {
        return nullptr;
    }
    return {{"shape", to_string(finding->shape)},
            {"keys", finding->key_count},
            {"exact", finding->exact},
            {"from", finding->from},
            {"to", finding->to},
            {"sorted_index", finding->sorted_index},
            {"gpu", optional_json(finding->gpu)}};
}

Json result_json(CheckOptions const& options, model::OutputCheck const& check) {
    Json values = Json::array();
    for (model::ValueFinding const& value : check.values) {
        values.push_back(
            {{"key", value.key}, {"in_input", value.in_input}, {"in_output", value.in_output}});
    }
    Json const order{{"shape", to_string(check.order.shape)},
                     {"first_unsorted", optional_json(check.order.first_unsorted)},
                     {"sorted_runs", check.order.sorted_runs},
                     {"chunk_of_gpu", optional_json(check.order.chunk)},
                     {"key_before", check.order.key_before},
                     {"key_at", check.order.key_at}};
    return {{"command", "check"},
            {"config",
             {{"input", options.input},
              {"output", options.output},
              {"type", to_string(check.key_type)},
              {"direction", options.direction},
              {"format", options.format},
              {"gpus", optional_json(options.gpus)},
              {"zero_order", options.zero_order}}},
            {"holds", check.holds()},
            {"sorted", check.sorted()},
            {"permutation", check.permutation()},
            {"input", fingerprint_json(check.input_fingerprint)},
            {"output", fingerprint_json(check.output_fingerprint)},
            {"order", order},
            {"lost", content_json(check.lost)},
            {"gained", content_json(check.gained)},
            {"values", values},
            {"sentences", sentences(check)}};
}

Expected<model::OutputCheckOptions> resolved(CheckOptions const& options) {
    model::OutputCheckOptions result;
    if (options.type) {
        auto const type = parse_key_type(*options.type);
        if (!type) {
            return tl::unexpected(type.error());
        }
        result.input.key_type = *type;
    }
    auto const format = model::parse_key_file_format(options.format);
    auto const direction = parse_direction(options.direction);
    auto const zero_order = parse_zero_order(options.zero_order);
    if (!format || !direction || !zero_order) {
        return tl::unexpected(!format      ? format.error()
                              : !direction ? direction.error()
                                           : zero_order.error());
    }
    result.input.format = *format;
    result.output.format = *format;
    result.direction = *direction;
    result.zero_order = *zero_order;
    result.gpu_count = options.gpus;
    result.thread_count = options.threads;
    return result;
}

Expected<ExitCode> check(CheckOptions const& options) {
    auto resolved_options = resolved(options);
    if (!resolved_options) {
        return tl::unexpected(resolved_options.error());
    }
    auto const result = [&] {
        Progress progress("checking", 0);
        resolved_options->on_keys_read = [&progress](std::uint64_t more, std::uint64_t all) {
            progress.set_total(all);
            progress.advance(more);
        };
        return model::check_output(options.input, options.output, *resolved_options);
    }();
    if (!result) {
        return tl::unexpected(result.error());
    }
    if (options.json) {
        constexpr int indent = 2;
        std::cout << result_json(options, *result)
                         .dump(indent, ' ', false, Json::error_handler_t::replace)
                  << '\n';
    } else {
        std::cout << "check: " << options.output << " against " << options.input << ", "
                  << to_string(result->key_type) << ", " << options.direction << '\n';
        for (std::string const& sentence : sentences(*result)) {
            std::cout << sentence << '\n';
        }
    }
    return result->holds() ? ExitCode::fine : ExitCode::violation;
}

} // namespace

void add_check_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "check",
        "Say whether a file is a sorted permutation of another, and if not, what is wrong");
    auto const options = std::make_shared<CheckOptions>();
    command.add_option("--input", options->input, "Keys before the sort")->required();
    command.add_option("--output", options->output, "Keys after the sort")->required();
    command.add_option(
        "--type", options->type, "u32, u64, i32, i64, f32 or f64; .npy files say it");
    command.add_option("--direction", options->direction, "ascending or descending")
        ->capture_default_str();
    command.add_option("--format", options->format, "auto (by the files' names), raw, npy or csv")
        ->capture_default_str();
    command
        .add_option("--gpus", options->gpus, "GPUs of the sort, to name faults at chunk borders")
        ->check(CLI::Range(1U, 1024U));
    command
        .add_option("--zero-order",
                    options->zero_order,
                    "total (-0.0 before +0.0) or equal (either order is sorted)")
        ->capture_default_str();
    command.add_option("--threads", options->threads, "0 = all of the machine")
        ->capture_default_str();
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, check);
}

} // namespace keyswap::tools
