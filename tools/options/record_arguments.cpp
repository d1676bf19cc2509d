#include "tools/options/record_arguments.hpp"

#include "model/key_files/narrow_type.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/sorted_type.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::tools {

void add_record_options(CLI::App& command, RecordArguments& options) {
    add_count_option(
        command, "--record-bytes", options.bytes, "Bytes of each fixed-width record in the file");
    command
        .add_option("--key",
                    options.key,
                    "Key bytes of a record, at most 16, compared as by memcmp: 0:10 is its first "
                    "ten bytes; with --type one little-endian number")
        ->type_name("OFFSET:BYTES");
}

Expected<model::RecordLayout> parse_layout(RecordArguments const& options,
                                           std::optional<std::string> const& type,
                                           Direction direction) {
    std::optional<KeyType> key_type;
    if (type) {
        if (model::narrow_type_of(*type)) {
            return input_error("--type " + *type,
                               "a number that is a record's key has 32, 64 or 128 bits",
                               "leave --type out to compare the key's bytes");
        }
        KEYSWAP_TRY(key_type, parse_sorted_type(*type));
    }
    return model::parse_record_layout(*options.bytes, *options.key, direction, key_type);
}

Expected<void> expect_raw_records(std::string const& output,
                                  std::optional<model::KeyFileFormat> format) {
    KEYSWAP_TRY(auto const written, model::format_to_write(output, format));
    if (written != model::KeyFileFormat::raw) {
        return input_error(output,
                           "would be text or .npy, but records are written raw",
                           "choose another name, such as records.bin");
    }
    return {};
}

Expected<void> check_record_options(RecordArguments const& options) {
    if (options.bytes.has_value() != options.key.has_value()) {
        return input_error(options.key ? "--key" : "--record-bytes",
                           options.key ? "applies to fixed-width records, whose size is missing"
                                       : "gives the size of records, but not their key",
                           "give both, as --record-bytes 100 --key 0:10");
    }
    return {};
}

} // namespace keyswap::tools
