#include "model/check/output_check.hpp"
#include "model/check/value_check.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/printable_text.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

/// As the user gave them.
struct CheckOptions {
    std::vector<std::string> files; ///< the input, then outputs
    std::vector<std::string> input;
    std::vector<std::string> output;
    std::optional<std::string> values;
    std::string value_bits = "32";
    bool stable = false;
    std::string nan_order = "total";
    std::optional<std::string> type;
    std::string direction = "ascending";
    std::string format = "auto";
    std::optional<std::uint32_t> gpu_count;
    std::string zero_order = "total";
    unsigned threads = 0;
    bool json = false;
};

Json fingerprint_json(model::Fingerprint const& fingerprint) {
    return {{"count", fingerprint.count},
            {"sum", hash_text(fingerprint.sum)},
            {"hash", hash_text(fingerprint.hash)}};
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

/// What was found, of keys and of values where there are any.
struct Findings {
    model::OutputCheck keys;
    std::optional<model::ValueCheck> values;
    bool needs_stability = false;

    [[nodiscard]] bool holds() const {
        return keys.holds() && (!values || (needs_stability ? values->stable() : values->paired()));
    }
};

/// What values show, in sentences.
std::vector<std::string> value_sentences(Findings const& findings) {
    if (!findings.values) {
        return {};
    }
    model::ValueCheck const& values = *findings.values;
    if (!values.paired()) {
        return {"Values are not with their keys: " + values.wrong + "."};
    }
    std::vector<std::string> result{"Every value is with its key."};
    if (values.first_unstable) {
        result.push_back("Equal keys are not in input order, first at index " +
                         std::to_string(*values.first_unstable) +
                         (findings.needs_stability ? "." : ", which nobody asked for."));
    } else {
        result.push_back("Equal keys are in input order.");
    }
    return result;
}

Json values_json(Findings const& findings) {
    if (!findings.values) {
        return nullptr;
    }
    return {{"paired", findings.values->paired()},
            {"stable", findings.values->stable()},
            {"first_wrong", optional_json(findings.values->first_wrong)},
            {"first_unstable", optional_json(findings.values->first_unstable)},
            {"sentences", value_sentences(findings)}};
}

/// One file as its name, several as a list.
Json files_json(std::vector<std::string> const& files) {
    return files.size() == 1 ? Json(files.front()) : Json(files);
}

Json result_json(CheckOptions const& options, Findings const& findings) {
    model::OutputCheck const& check = findings.keys;
    Json values = Json::array();
    for (model::ValueFinding const& value : check.values) {
        values.push_back(
            {{"key", value.key}, {"in_input", value.in_input}, {"in_output", value.in_output}});
    }
    Json const order{{"shape", to_string(check.order.shape)},
                     {"first_unsorted", optional_json(check.order.first_unsorted)},
                     {"sorted_runs", check.order.sorted_runs},
                     {"chunk_of_gpu", optional_json(check.order.chunk)},
                     {"output_file", optional_json(check.order.part)},
                     {"key_before", check.order.key_before},
                     {"key_at", check.order.key_at}};
    Json json = json_result("check",
                            {{"input", files_json(options.input)},
                             {"output", files_json(options.output)},
                             {"type", to_string(check.key_type)},
                             {"direction", options.direction},
                             {"format", options.format},
                             {"gpu_count", optional_json(options.gpu_count)},
                             {"zero_order", options.zero_order},
                             {"nan_order", options.nan_order}});
    json.update(Json{{"holds", findings.holds()},
                     {"sorted", check.sorted()},
                     {"permutation", check.permutation()},
                     {"input", fingerprint_json(check.input_fingerprint)},
                     {"output", fingerprint_json(check.output_fingerprint)},
                     {"order", order},
                     {"lost", content_json(check.lost)},
                     {"gained", content_json(check.gained)},
                     {"values", values},
                     {"headings", check.headings},
                     {"pairs", values_json(findings)},
                     {"sentences", sentences(check)}});
    return json;
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
    auto const nan_order = model::parse_nan_order(options.nan_order);
    if (!format || !direction || !zero_order || !nan_order) {
        return tl::unexpected(!format       ? format.error()
                              : !direction  ? direction.error()
                              : !zero_order ? zero_order.error()
                                            : nan_order.error());
    }
    if (options.stable && !options.values) {
        return tl::unexpected(
            InputError{"--stable", "only values can show it", "give the sorted --values"});
    }
    result.nan_order = *nan_order;
    result.input.format = *format;
    result.output.format = *format;
    result.direction = *direction;
    result.zero_order = *zero_order;
    result.gpu_count = options.gpu_count;
    result.thread_count = options.threads;
    return result;
}

/// The same with both files in their options, however they were named.
Expected<CheckOptions> with_named_files(CheckOptions options) {
    bool const named = !options.input.empty() || !options.output.empty();
    if (named && !options.files.empty()) {
        return tl::unexpected(InputError{"'" + options.files.front() + "' and " +
                                             (options.input.empty() ? "--output" : "--input"),
                                         "both name files",
                                         "write 'keyswap check INPUT OUTPUT', or give --input and "
                                         "--output"});
    }
    if (!options.files.empty()) {
        options.input = {options.files.front()};
        options.output.assign(options.files.begin() + 1, options.files.end());
    }
    if (options.input.empty() || options.output.empty()) {
        return tl::unexpected(InputError{"check",
                                         "needs the keys before the sort and those after it",
                                         "write 'keyswap check INPUT OUTPUT'"});
    }
    return options;
}

Expected<ExitCode> check(CheckOptions const& given) {
    auto const named = with_named_files(given);
    if (!named) {
        return tl::unexpected(named.error());
    }
    CheckOptions const& options = *named;
    auto resolved_options = resolved(options);
    if (!resolved_options) {
        return tl::unexpected(resolved_options.error());
    }
    auto const input_paths = readable_paths(options.input);
    auto const output_paths = readable_paths(options.output);
    if (!input_paths || !output_paths) {
        return tl::unexpected(!input_paths ? input_paths.error() : output_paths.error());
    }
    std::vector<std::filesystem::path> const inputs(input_paths->begin(), input_paths->end());
    std::vector<std::filesystem::path> const outputs(output_paths->begin(), output_paths->end());
    auto const keys = [&] {
        Progress progress("checking", 0);
        resolved_options->on_keys_read = [&progress](std::uint64_t more, std::uint64_t all) {
            progress.set_total(all);
            progress.advance(more);
        };
        return model::check_outputs(inputs, outputs, *resolved_options);
    }();
    if (!keys) {
        return tl::unexpected(keys.error());
    }
    Findings findings{*keys, std::nullopt, options.stable};
    if (options.values) {
        KeyType const width = options.value_bits == "32" ? KeyType::u32 : KeyType::u64;
        auto const values =
            model::check_values(inputs, outputs, *options.values, width, *resolved_options);
        if (!values) {
            return tl::unexpected(values.error());
        }
        findings.values = *values;
    }
    if (options.json) {
        print_json(result_json(options, findings), std::cout);
    } else {
        auto const text_of = [](std::vector<std::string> const& files) {
            return files.size() == 1 ? files.front() : counted(files.size(), "file");
        };
        std::cout << "check: " << printable_text(text_of(options.output)) << " against "
                  << printable_text(text_of(options.input)) << ", "
                  << to_string(findings.keys.key_type) << ", " << options.direction << '\n';
        for (std::string const& heading : findings.keys.headings) {
            std::cout << "Taken for a heading: the first row of " << printable_text(heading)
                      << ".\n";
        }
        for (std::string const& sentence : sentences(findings.keys)) {
            std::cout << sentence << '\n';
        }
        for (std::string const& sentence : value_sentences(findings)) {
            std::cout << sentence << '\n';
        }
    }
    return findings.holds() ? ExitCode::fine : ExitCode::violation;
}

} // namespace

void add_check_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "check",
        "Say whether a file is a sorted permutation of another, and if not, what is wrong");
    auto const options = std::make_shared<CheckOptions>();
    command.add_option("files",
                       options->files,
                       "Keys before the sort, then keys after it: one file, or one a GPU in order");
    command.add_option(
        "--input", options->input, "Keys before the sort; several files are one input");
    command.add_option(
        "--output", options->output, "Keys after the sort; several files, one a GPU, in order");
    command.add_option("--values",
                       options->values,
                       "Raw values after the sort, which are the keys' indices in the input");
    command.add_option("--value-bits", options->value_bits, "32 or 64")
        ->check(CLI::IsMember({"32", "64"}))
        ->capture_default_str();
    command.add_flag("--stable", options->stable, "Equal keys have to stay in input order");
    command.add_option(
        "--type", options->type, "u32, u64, i32, i64, f32 or f64; .npy files say it");
    command.add_option("--direction", options->direction, "ascending or descending")
        ->capture_default_str();
    command.add_option("--format", options->format, "auto (by the files' names), raw, npy or csv")
        ->capture_default_str();
    command
        .add_option(
            "--gpu-count", options->gpu_count, "GPUs of the sort, to name faults at chunk borders")
        ->check(CLI::Range(1U, 1024U));
    command
        .add_option("--zero-order",
                    options->zero_order,
                    "total (-0.0 before +0.0) or equal (either order is sorted)")
        ->capture_default_str();
    command
        .add_option("--nan-order",
                    options->nan_order,
                    "total (by sign and bits, at both ends), first or last (in any order)")
        ->capture_default_str();
    command.add_option("--threads", options->threads, "0 = all of the machine")
        ->capture_default_str();
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, check);
}

} // namespace keyswap::tools
