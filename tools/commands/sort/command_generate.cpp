#include "model/distributions/key_generator.hpp"
#include "model/external/record_summary.hpp"
#include "model/key_files/key_file.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/record_arguments.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace keyswap::tools {

namespace {

struct GenerateOptions {
    std::optional<std::string> distribution;
    std::optional<double> parameter;
    std::optional<std::string> type;
    std::uint64_t key_count = 0;
    std::uint64_t seed = model::KeyRequest().seed;
    RecordArguments records;
    std::optional<std::string> output; ///< nullopt: keys are generated, counted and discarded
    std::optional<std::string> output_format;
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{}, {{"--output", output}}, json ? "--json" : "", existing};
    }
};

/// Without --output, generated keys are discarded, to measure the generator.
std::string path_of(GenerateOptions const& options) {
    return options.output.value_or("/dev/null");
}

/// Returns an error if the output's folder has too little free space for the keys.
Expected<void> expect_space(GenerateOptions const& options, std::uint64_t bytes_per_key) {
    namespace fs = std::filesystem;
    fs::path const path = path_of(options);
    std::error_code error;
    if (is_standard_output(path) ||
        (fs::exists(path, error) && !fs::is_regular_file(path, error))) {
        return {};
    }
    auto const space = fs::space(path.has_parent_path() ? path.parent_path() : ".", error);
    if (error || options.key_count <= space.available / bytes_per_key) {
        return {};
    }
    return input_error(path.string(),
                       "has room for " + grouped_count(space.available) + " bytes, and each of " +
                           grouped_count(options.key_count) + " keys needs " +
                           grouped_count(bytes_per_key),
                       "give fewer --keys, or choose another place");
}

constexpr std::uint64_t made_bytes = std::uint64_t{1} << 20;

Expected<void> write_records(GenerateOptions const& options, model::RecordLayout const& layout) {
    KEYSWAP_RETURN_IF_ERROR(expect_raw_records(path_of(options), std::nullopt));
    KEYSWAP_RETURN_IF_ERROR(expect_space(options, layout.record_bytes));
    KEYSWAP_TRY(auto file, AtomicFile::create(path_of(options)));
    Progress progress("making records", options.key_count);
    std::uint64_t const at_once = std::max<std::uint64_t>(made_bytes / layout.record_bytes, 1);
    std::vector<std::byte> block;
    for (std::uint64_t first = 0; first < options.key_count; first += at_once) {
        std::uint64_t const count = std::min(at_once, options.key_count - first);
        block.resize(count * layout.record_bytes);
        model::make_records(layout, options.seed, first, block);
        KEYSWAP_RETURN_IF_ERROR(
            file.write({reinterpret_cast<char const*>(block.data()), block.size()}));
        progress.advance(count);
    }
    return file.commit();
}

template <class Image>
Expected<void> write_keys(model::KeyGenerator const& generator, model::KeyFileWriter& file) {
    std::uint64_t const all = generator.key_count();
    Progress progress("making keys", all);
    std::vector<Image> block;
    for (std::uint64_t first = 0; first < all; first += block.size()) {
        block.resize(std::min<std::uint64_t>(made_bytes / sizeof(Image), all - first));
        generator.images(first, std::span(block));
        model::to_keys(generator.request().key_type, Direction::ascending, std::span<Image>(block));
        KEYSWAP_RETURN_IF_ERROR(file.write(std::as_bytes(std::span(block))));
        progress.advance(block.size());
    }
    return file.finish();
}

/// \return description of the generated records
Expected<std::string> generate_records(GenerateOptions const& options) {
    if (options.distribution || options.parameter || options.type || options.output_format) {
        return input_error(std::string("--record-bytes and ") +
                               (options.distribution ? "--distribution"
                                : options.parameter  ? "--parameter"
                                : options.type       ? "--type"
                                                     : "--output-format"),
                           "the keys of records are random bytes, in a raw file",
                           "leave one of them out");
    }
    KEYSWAP_TRY(auto const layout,
                model::parse_record_layout(
                    *options.records.bytes, *options.records.key, Direction::ascending));
    KEYSWAP_RETURN_IF_ERROR(write_records(options, layout));
    return to_string(layout);
}

Expected<std::string> generate_keys(GenerateOptions const& options) {
    KEYSWAP_TRY(auto const type, parse_sorted_type(options.type.value_or("u32")));
    KEYSWAP_TRY(
        auto const named,
        parse_distribution_and(options.distribution.value_or("uniform"), options.parameter));
    model::KeyRequest request;
    request.distribution = named.name;
    request.parameter = named.parameter;
    request.key_type = type;
    request.key_count = options.key_count;
    request.seed = options.seed;
    KEYSWAP_TRY(auto const generator, model::KeyGenerator::make(request));
    KEYSWAP_TRY(auto const format,
                model::parse_key_file_format(options.output_format.value_or("auto")));
    constexpr std::uint64_t row_bytes_min = 2; // of a CSV: a digit and its line's end
    KEYSWAP_TRY(auto const written, model::format_to_write(path_of(options), format));
    bool const is_text = written == model::KeyFileFormat::csv;
    KEYSWAP_RETURN_IF_ERROR(expect_space(options, is_text ? row_bytes_min : key_size_bytes(type)));
    KEYSWAP_TRY(auto const file, model::create_key_file(path_of(options), format, type));
    switch (key_size_bytes(type)) {
    case sizeof(std::uint32_t):
        KEYSWAP_RETURN_IF_ERROR(write_keys<std::uint32_t>(generator, *file));
        break;
    case sizeof(std::uint64_t):
        KEYSWAP_RETURN_IF_ERROR(write_keys<std::uint64_t>(generator, *file));
        break;
    default:
        KEYSWAP_RETURN_IF_ERROR(write_keys<model::uint128>(generator, *file));
    }
    return std::string(to_string(type)) + " keys, " + named.name;
}

Expected<ExitCode> generate(GenerateOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_record_options(options.records));
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    if (options.output_format && !options.output) {
        return tl::unexpected(
            InputError{"--output-format", "has no effect without --output", "leave it out"});
    }
    KEYSWAP_TRY(auto const made,
                options.records.bytes ? generate_records(options) : generate_keys(options));
    if (options.json) {
        auto json = json_result("generate",
                                {{"keys", options.key_count},
                                 {"seed", options.seed},
                                 {"output", options.output ? Json(*options.output) : nullptr}});
        json["made"] = made;
        print_json(json, std::cout);
    } else {
        options.files().text() << "generate: " << grouped_count(options.key_count) << ' ' << made
                               << ", seed " << options.seed
                               << (options.output ? ", in " + printable_text(*options.output)
                                                  : ", discarded without --output")
                               << '\n';
    }
    return ExitCode::fine;
}

} // namespace

void add_generate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("generate", "Write a file of keys of a distribution, or of records");
    auto const options = std::make_shared<GenerateOptions>();
    add_count_option(command, "--keys", options->key_count, "Number of keys, or of records")
        ->required();
    command
        .add_option("--distribution",
                    options->distribution,
                    "Of the keys, as zipf or zipf=0.75; see 'keyswap distributions'")
        ->default_str("uniform");
    command.add_option(
        "--parameter", options->parameter, "Parameter of the distribution: exponent, bits ...");
    command.add_option("--type", options->type, key_type_list(every_key_type, " or "))
        ->default_str("u32");
    add_record_options(command, options->records);
    command.get_option("--key")->description(
        "Key bytes of a record, at most 16: 0:10 is its first ten bytes");
    command.add_option("--seed", options->seed, "Seed of the keys")->capture_default_str();
    command.add_option(
        "--output", options->output, "File to write; without it, keys are made and discarded");
    command.add_option(
        "--output-format", options->output_format, "auto (by the file's name), raw, npy or csv");
    add_force_option(command, options->existing);
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, generate);
}

} // namespace keyswap::tools
