/** The question for a schema, in words that servers of any age understand. Written out: the library for it loads slowly. */

/** As deep as lists and non-null types are nested anywhere. */
const DEPTH = 9

const typeRef = (depth: number): string => `{ kind name ${depth > 0 ? `ofType ${typeRef(depth - 1)}` : ""} }`
const TYPE = typeRef(DEPTH)
const INPUT = `{ name description type ${TYPE} defaultValue }`
const FIELD = `{ name description args ${INPUT} type ${TYPE} isDeprecated deprecationReason }`
const ENUM_VALUE = "{ name description isDeprecated deprecationReason }"

export const INTROSPECTION = `query IntrospectionQuery { __schema {
  queryType { name } mutationType { name } subscriptionType { name }
  types {
    kind name description
    fields(includeDeprecated: true) ${FIELD}
    inputFields ${INPUT}
    interfaces ${TYPE}
    enumValues(includeDeprecated: true) ${ENUM_VALUE}
    possibleTypes ${TYPE}
  }
  directives { name description locations args ${INPUT} }
} }`
