#include "tools/options/limit_options.hpp"

#include "tools/text/number_text.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/input_limits.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace keyswap::tools {

void add_limit_options(CLI::App& app) {
    for (LimitInfo const& info : input_limits()) {
        std::string const option = setting(info.name);
        app.add_option_function<std::string>(
               option,
               [&info, option](std::string const& text) {
                   auto const set = parse_count(text, option).and_then([&](std::uint64_t value) {
                       return set_limit(info.limit, value);
                   });
                   if (!set) {
                       throw CLI::ValidationError(set.error().message());
                   }
               },
               std::string(info.description))
            ->type_name("COUNT")
            ->default_str(std::to_string(info.default_value))
            ->group(limits_group);
    }
}

void add_records_only_option(CLI::App& command, bool& records_only) {
    command.add_flag("--records-only",
                     records_only,
                     "Compare a trace's records only with each other, without the keys");
}

} // namespace keyswap::tools
