#include "tools/commands/check/check_fields.hpp"
#include "tools/commands/check/check_request.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace keyswap::tools {

namespace {

/// Returns an error if an option requires the keys before the sort.
Expected<void> needs_both_files(CheckOptions const& options) {
    auto const given = first_given(*options.command,
                                   "--operation --hash-seed --values --value-bits --stable --rule "
                                   "--buckets --starts --output-column");
    return given ? input_error(
                       *given,
                       "needs the keys before the sort, but only one file is named",
                       "write 'keyswap check INPUT OUTPUT', or leave it out to check the order of "
                       "the file")
                 : Expected<void>();
}

void print_text(CheckOptions const& options, model::OrderCheck const& check) {
    print_check_header(options,
                       std::string(model::stored_type_name(check.key_type, check.narrow_type)) +
                           ", " + options.direction);
    print_headers(check.headers);
    if (check.holds()) {
        std::cout << "The file is in order: " << counted(check.key_count, "key") << ".\n";
    } else {
        std::cout << model::order_sentence(check.order, "The file") << '\n';
    }
}

Json config_json(CheckOptions const& options, model::OrderCheck const& check) {
    return {{"file", options.files.front()},
            {"type", model::stored_type_name(check.key_type, check.narrow_type)},
            {"direction", options.direction},
            {"format", options.format},
            {"zero_order", options.zero_order},
            {"nan_order", options.nan_order}};
}

} // namespace

Json order_document(Json config, model::OrderCheck const& check) {
    auto json = json_result("check", std::move(config));
    json["holds"] = check.holds();
    json["sorted"] = check.holds();
    json["keys"] = check.key_count;
    json["order"] = document(check.order);
    json["headers"] = check.headers;
    return json;
}

Expected<ExitCode> check_one_file(CheckOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(needs_both_files(options));
    CheckOptions named = options; // the output's name is the test suite's
    named.output = options.files;
    KEYSWAP_RETURN_IF_ERROR(check_files(named.named()));
    KEYSWAP_TRY(auto check_options, output_check_options(options));
    KEYSWAP_RETURN_IF_ERROR(check_float_orders(check_options, check_options.input.key_type));
    KEYSWAP_TRY(auto const path, readable_path(options.files.front()));
    KEYSWAP_TRY(auto const check, [&] {
        Progress progress("checking", 0);
        check_options.on_keys_read = [&progress](std::uint64_t more, std::uint64_t all) {
            progress.set_total(all / 2); // counted as input and as output
            progress.advance(more);
        };
        std::filesystem::path const file = path;
        return model::check_order(std::span(&file, 1), check_options);
    }());
    KEYSWAP_RETURN_IF_ERROR(check_float_orders(check_options, check.key_type));
    JunitCase const order = checked_case("sorted",
                                         check.holds(),
                                         std::string(to_string(check.order.shape)),
                                         model::order_sentence(check.order, "The file"));
    return end_check(
        named,
        check.holds(),
        {order},
        [&] { return order_document(config_json(options, check), check); },
        [&] { print_text(named, check); });
}

} // namespace keyswap::tools
