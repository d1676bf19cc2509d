#include "tools/commands/check_request.hpp"

#include "tools/options/standard_input.hpp"
#include "tools/text/number_text.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

namespace keyswap::tools {

namespace {

nlohmann::ordered_json index_json(std::optional<std::uint64_t> index) {
    return index ? nlohmann::ordered_json(*index) : nlohmann::ordered_json(nullptr);
}

} // namespace

Expected<CheckFileOptions> key_file_options(CheckOptions const& options) {
    CheckFileOptions result;
    result.input.column = options.column;
    result.output.column = options.output_column;
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
    return model::parse_key_file_format(options.format).map([&](auto format) {
        result.input.format = result.output.format = format;
        return result;
    });
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
                         (stable ? "." : ", which nobody asked for."));
    } else {
        result.push_back(group + " in input order.");
    }
    return result;
}

nlohmann::ordered_json values_json(std::optional<model::ValueCheck> const& values,
                                   std::vector<std::string> sentences) {
    if (!values) {
        return nullptr;
    }
    return {{"paired", values->paired()},
            {"stable", values->stable()},
            {"first_wrong", index_json(values->first_wrong)},
            {"first_unstable", index_json(values->first_unstable)},
            {"sentences", std::move(sentences)}};
}

void print_check_heading(CheckOptions const& options,
                         std::string_view type,
                         std::string const& what) {
    auto const text_of = [](std::vector<std::string> const& files) {
        return files.size() == 1 ? shown_name(files.front()) : counted(files.size(), "file");
    };
    std::cout << "check: " << text_of(options.output) << " against " << text_of(options.input)
              << ", " << type << ", " << what << '\n';
}

nlohmann::ordered_json files_json(std::vector<std::string> const& files) {
    return files.size() == 1 ? nlohmann::ordered_json(files.front())
                             : nlohmann::ordered_json(files);
}

} // namespace keyswap::tools
