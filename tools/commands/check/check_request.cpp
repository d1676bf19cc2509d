#include "tools/commands/check/check_request.hpp"

#include "tools/options/sorted_type.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/document.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <iostream>
#include <span>
#include <utility>

namespace keyswap::tools {

Expected<model::OutputCheckOptions> output_check_options(CheckOptions const& options) {
    model::OutputCheckOptions result;
    result.input.column = options.column;
    // The output may be a table sorted with its rows, or a single column of keys.
    result.output.column = options.output_column ? options.output_column : options.column;
    result.output.column_optional = !options.output_column;
    if (options.type) {
        result.input.narrow_type = model::narrow_type_of(*options.type);
        auto const type = result.input.narrow_type
                              ? Expected<KeyType>(model::widened_type(*result.input.narrow_type))
                              : parse_key_type(*options.type);
        if (!type) {
            InputError error = type.error();
            error.remedy += "; of files also u8, u16, i8, i16, f16, bf16";
            return tl::unexpected(error);
        }
        result.input.key_type = *type;
    }
    KEYSWAP_TRY(result.input.format, model::parse_key_file_format(options.format));
    result.output.format = result.input.format;
    KEYSWAP_TRY(result.direction, parse_direction(options.direction));
    KEYSWAP_TRY(result.zero_order, parse_zero_order(options.zero_order));
    KEYSWAP_TRY(result.nan_order, parse_nan_order(options.nan_order));
    result.gpu_count = options.gpu_count;
    result.thread_count = options.threads;
    result.hash_seed = options.hash_seed;
    return result;
}

Expected<void> check_float_orders(model::OutputCheckOptions const& options,
                                  std::optional<KeyType> type) {
    return type ? check_float_orders(*type, options.zero_order, options.nan_order)
                : Expected<void>{};
}

Expected<std::optional<model::ValueCheck>> check_values(CheckOptions const& options,
                                                        CheckFiles const& files,
                                                        model::OutputCheckOptions const& resolved,
                                                        std::span<std::uint64_t const> starts) {
    if (!options.values) {
        return std::nullopt;
    }
    KeyType const width = options.value_bits.value_or("32") == "32" ? KeyType::u32 : KeyType::u64;
    return model::check_values(
               files.inputs, files.outputs, *options.values, width, resolved, starts)
        .map([](model::ValueCheck const& check) { return std::optional(check); });
}

bool values_hold(std::optional<model::ValueCheck> const& values, bool stable) {
    return !values || (stable ? values->stable() : values->paired());
}

std::vector<std::string> value_sentences(std::optional<model::ValueCheck> const& values,
                                         bool stable,
                                         std::string const& group) {
    if (!values) {
        return {};
    }
    if (!values->paired()) {
        return {"Values are not with their keys: " + values->wrong + "."};
    }
    std::vector<std::string> result{"Every value is with its key."};
    if (values->first_unstable) {
        result.push_back(group + " not in input order, first at index " +
                         std::to_string(*values->first_unstable) +
                         (stable ? "." : ", which --stable would refuse."));
    } else {
        result.push_back(group + " in input order.");
    }
    return result;
}

Json values_json(std::optional<model::ValueCheck> const& values,
                 std::vector<std::string> sentences) {
    if (!values) {
        return nullptr;
    }
    return {{"paired", values->paired()},
            {"stable", values->stable()},
            {"first_wrong", document(values->first_wrong)},
            {"first_unstable", document(values->first_unstable)},
            {"sentences", std::move(sentences)}};
}

void print_check_header(CheckOptions const& options, std::string const& what) {
    auto const text_of = [](std::vector<std::string> const& files) {
        return files.size() == 1 ? display_name(files.front()) : counted(files.size(), "file");
    };
    std::cout << "check: "
              << (options.input.empty()
                      ? "the order of " + text_of(options.output)
                      : text_of(options.output) + " against " + text_of(options.input))
              << ", " << what << '\n';
}

CommandFiles CheckOptions::named() const {
    CommandFiles named_all;
    named_all.read = named_files("--input", input);
    for (NamedFile& file : named_files("--output", output)) {
        named_all.read.push_back(std::move(file));
    }
    named_all.read.push_back({"--values", values});
    named_all.read.push_back({"--starts", starts});
    named_all.written = {{"--junit", junit}};
    named_all.printed = json ? "--json" : "";
    named_all.existing = existing;
    return named_all;
}

std::string lines_of(std::vector<std::string> const& sentences) {
    std::string lines;
    for (std::string const& sentence : sentences) {
        lines += sentence + '\n';
    }
    return lines;
}

std::vector<JunitCase>
value_cases(std::optional<model::ValueCheck> const& values, bool stable, std::string const& group) {
    if (!values) {
        return {};
    }
    return {checked_case("values",
                         values_hold(values, stable),
                         values->paired() ? "not stable" : "not with their keys",
                         lines_of(value_sentences(values, stable, group)))};
}

Expected<ExitCode> end_check(CheckOptions const& options,
                             bool holds,
                             std::vector<JunitCase> cases,
                             std::function<Json()> const& json,
                             std::function<void()> const& print_text) {
    if (options.junit) {
        JunitSuite const suite{options.output.size() == 1
                                   ? display_name(options.output.front())
                                   : counted(options.output.size(), "file") + " from " +
                                         display_name(options.output.front()) + " on",
                               std::move(cases)};
        KEYSWAP_RETURN_IF_ERROR(write_junit_file(*options.junit, "check", std::span(&suite, 1)));
    }
    if (options.json) {
        print_json(json(), std::cout);
    } else if (options.junit != "-") {
        print_text();
    }
    return holds ? ExitCode::fine : ExitCode::violation;
}

Json files_json(std::vector<std::string> const& files) {
    return files.size() == 1 ? Json(files.front()) : Json(files);
}

void print_headers(std::vector<std::string> const& headers) {
    for (std::string const& header : headers) {
        std::cout << "Read as a header: the first row of " << printable_text(header) << ".\n";
    }
}

} // namespace keyswap::tools
