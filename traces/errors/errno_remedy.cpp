#include "traces/errors/errno_remedy.hpp"

#include <cerrno>

namespace keyswap {

std::string errno_remedy(int error_number, std::string otherwise) {
    switch (error_number) {
    case ENOSPC:
    case EDQUOT:
        return "free some space or choose another place";
    case EFBIG:
        return "raise the limit of file sizes (ulimit -f)";
    case EMFILE:
    case ENFILE:
        return "raise the limit of open files (ulimit -n)";
    default:
        return otherwise;
    }
}

} // namespace keyswap
