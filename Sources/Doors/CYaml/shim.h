// The whole of libyaml that we see. Only YAMLKit imports it.
#include <yaml.h>
